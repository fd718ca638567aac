// Moves the keys and values of every tile of 2048 to their places in the order of one digit of up to
// eight bits, stably. `places` is the prefix sum of the counts.
//
// The tile is first sorted in workgroup memory, by the low four bits of the digit and then by the high four
// (Satish, Harris, Garland, IPDPS 2009), so that runs of equal digits are written together:
//
//     place of an item = places[digit] + (its rank in the sorted tile - that of the first item of its digit)
//
// An item is a digit and an index in the tile; the index is in the low 11 bits.

{% include "scan_workgroup.wgsl" %}

// During the ranking: for each thread, the counts of the sixteen values of four bits. The counts of v and
// v + 8 are the halves of word (v mod 8) * 256 + thread. Otherwise: the items.
var<workgroup> tile_memory: array<u32, 2048>;
// By digit: the rank of its first item in the sorted tile.
var<workgroup> starts: array<u32, 256>;

var<private> items: array<u32, 8>;

// Sorts the tile's items by the four bits from bit `shift` on. Before and after, thread i holds items
// 8 i to 8 i + 7.
fn sort_by_element_bits(lane: u32, shift: u32) {
    var rank: array<u32, 8>;
    for (var v = 0u; v < 8u; v++) {
        tile_memory[v * 256u + lane] = 0u;
    }
{% for i in range(8) %}
    {
        let v = (items[{{ i }}] >> shift) & 15u;
        let word = (v & 7u) * 256u + lane;
        let half = (v >> 3u) * 16u;
        rank[{{ i }}] = (tile_memory[word] >> half) & 0xffffu;
        tile_memory[word] += 1u << half;
    }
{% endfor %}
    workgroupBarrier();
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) {
        sum += tile_memory[lane * 8u + i];
    }
    let prefix = scan_workgroup(lane, sum);
    var running = prefix.before;
    for (var i = 0u; i < 8u; i++) {
        let own = tile_memory[lane * 8u + i];
        tile_memory[lane * 8u + i] = running;
        running += own;
    }
    workgroupBarrier();
    let lower = prefix.total & 0xffffu;
{% for i in range(8) %}
    {
        let v = (items[{{ i }}] >> shift) & 15u;
        let half = (v >> 3u) * 16u;
        rank[{{ i }}] += ((tile_memory[(v & 7u) * 256u + lane] >> half) & 0xffffu) + (v >> 3u) * lower;
    }
{% endfor %}
    workgroupBarrier();
{% for i in range(8) %}
    tile_memory[rank[{{ i }}]] = items[{{ i }}];
{% endfor %}
    workgroupBarrier();
{% for i in range(8) %}
    items[{{ i }}] = tile_memory[lane * 8u + {{ i }}u];
{% endfor %}
    workgroupBarrier();
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.group_count) {
        return;
    }
    let segment = group / params.tiles;
    let tile = group % params.tiles;
    let base = segment * params.segment_len + tile * 2048u;
    let filled = min(2048u, params.segment_len - tile * 2048u);
{% for i in range(8) %}
    {
        let index = lane * 8u + {{ i }}u;
        // Items past the end have the largest digit and index, so they come last.
        items[{{ i }}] = 0xffffffffu;
        if (index < filled) {
            items[{{ i }}] = (((keys[base + index] >> params.shift) & params.mask) << 11u) | index;
        }
    }
{% endfor %}
    sort_by_element_bits(lane, 11u);
    if (params.mask > 15u) {
        sort_by_element_bits(lane, 15u);
    }
{% for i in range(8) %}
    tile_memory[lane * 8u + {{ i }}u] = items[{{ i }}];
{% endfor %}
    workgroupBarrier();
    for (var i = lane; i < filled; i += 256u) {
        let digit = tile_memory[i] >> 11u;
        if (i == 0u || tile_memory[max(i, 1u) - 1u] >> 11u != digit) {
            starts[digit] = i;
        }
    }
    workgroupBarrier();
    for (var i = lane; i < filled; i += 256u) {
        let digit = tile_memory[i] >> 11u;
        let source = base + (tile_memory[i] & 2047u);
        let place = places[(segment * (params.mask + 1u) + digit) * params.tiles + tile] + i - starts[digit];
        sorted_keys[place] = keys[source];
        sorted_values[place] = values[source];
    }
}
