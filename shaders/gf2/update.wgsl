// Adds to each row the acting pivots of a block that its bits in the block's columns select.
//
// The bits of the rows are in `selections`, the acting pivots in `acting`. A workgroup does {{ rows }} rows a
// thread in `span` tiles of 128 columns:
//
//     for each tile:
//         for each of {{ phases }} phases:
//             fill the tables of the phase's acting pivots
//             for each row: sum = sum + one entry of each table, chosen by a byte of the row's selection
//         row = row + sum
{% if stack %}
//
// The rows are a stack of products, each with `factor_rows` rows and with acting pivots of its own in
// `factor_tiles` tiles. A workgroup's rows are rows of one product.
{% endif %}
{% if staged %}
//
// An NVIDIA multiprocessor has registers for only one such workgroup, so no other workgroup hides its
// latency. Therefore loads are issued before sums are looked up.
{% endif %}

{% set of_factor = "factor_tile + " if stack else "" %}
{% include "gf2/outcome.wgsl" %}
{% include "gf2/tables.wgsl" %}

// Acting pivot 8 group + bit of a tile stands at 32 bit + group, so that a workgroup reads runs of memory.
{% if staged %}
var<workgroup> pivots: array<vec4<u32>, 256>;

fn word_of(group: u32, bit: u32, w: u32) -> u32 {
    return pivots[32u * bit + group][w];
}
{% else %}
var<private> tile: u32;

fn vector_of(group: u32, bit: u32) -> vec4<u32> {
    return acting[256u * tile + 32u * bit + group];
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    if (index >= params.group_count || outcome[FAILED] != 0u) {
        return;
    }
    let spans = (params.tiles + params.span - 1u) / params.span;
    let first_tile = params.first_tile + index % spans * params.span;
    let end_tile = min(first_tile + params.span, params.first_tile + params.tiles);
{% if in_order %}
    let first = params.first_row + (index / spans) * WORKGROUP * {{ rows }}u;
{% else %}
    // Pivot rows stand first, and are left out unless all rows are to be reduced.
    let done = select(outcome[DONE], 0u, params.all_rows == 1u);
    let first = done + (index / spans) * WORKGROUP * {{ rows }}u;
{% endif %}
    if (first >= params.rows) {
        return;
    }
{% if not in_order %}
    // A block without pivots adds nothing.
    if (outcome[BEFORE] == outcome[DONE]) {
        return;
    }
{% endif %}
    let row = first + lane;
{% if stack %}
    let factor_tile = first / params.factor_rows * params.factor_tiles;
{% endif %}
{% for step in range(tables) %}
{% if tables == 8 %}
    let table{{ step }} = ((lane & 4u) ^ {{ step // 4 * 4 }}u) | ((lane + {{ step }}u) & 3u);
{% else %}
    let table{{ step }} = (lane + {{ step }}u) & 3u;
{% endif %}
{% endfor %}
{% for i in range(rows) %}
{% for half in range(2) %}
    let half{{ half }}_{{ i }} = turned(
        selections[params.selection + {{ half }}u * params.selection_stride + row + {{ i }}u * WORKGROUP],
        lane,
    );
{% endfor %}
{% endfor %}
{% if staged %}
    if (lane < 256u) {
        pivots[lane] = acting[256u * ({{ of_factor }}first_tile) + lane];
    }
    workgroupBarrier();
{% endif %}
    for (var own_tile = first_tile; own_tile < end_tile; own_tile++) {
{% if staged %}
        var next_pivot = vec4<u32>();
{% else %}
        // Barriers follow, so control flow must not depend on `tile`: private variables are not uniform.
        tile = {{ of_factor }}own_tile;
{% endif %}
        let at = (own_tile - params.part_tile) * params.stride + row;
{% for i in range(rows) %}
        var sum{{ i }} = vec4<u32>();
{% endfor %}
{% for phase in range(phases) %}

        fill_tables({{ phase }}u, lane);
        workgroupBarrier();
{% if staged and loop.last %}
        if (lane < 256u) {
            next_pivot = acting[256u * ({{ of_factor }}min(own_tile + 1u, end_tile - 1u)) + lane];
        }
{% endif %}
{% for i in range(rows) if i * phases // rows == phase %}
        let own{{ i }} = matrix[at + {{ i }}u * WORKGROUP];
{% endfor %}
{% for step in range(tables) %}
{% set word = phase * tables // 4 + step // 4 %}
{% for i in range(rows) %}
{% if step % 4 == 3 %}
        sum{{ i }} ^= tables[last_entry(half{{ word // 4 }}_{{ i }}.{{ "xyzw"[word % 4] }}, table{{ step }})];
{% else %}
        sum{{ i }} ^= tables[entry(half{{ word // 4 }}_{{ i }}.{{ "xyzw"[word % 4] }}, {{ step % 4 * 8 }}u, table{{ step }})];
{% endif %}
{% endfor %}
{% endfor %}
{% for i in range(rows) if i * phases // rows == phase %}
        sum{{ i }} ^= own{{ i }};
{% endfor %}
{% if staged and loop.last %}
        if (lane < 256u) {
            pivots[lane] = next_pivot;
        }
{% endif %}
        workgroupBarrier();
{% endfor %}

{% for i in range(rows) %}
        matrix[at + {{ i }}u * WORKGROUP] = sum{{ i }};
{% endfor %}
    }
}
