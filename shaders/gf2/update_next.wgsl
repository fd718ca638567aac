// Adds to each row the acting pivots of a block that its bits in the block's columns select, in the tiles
// up to the two of the next block. Copies these two to `next_selections`{{ ", promoted rows as zeros" if in_order else "" }}.
{% if not in_order %}
//
// With `flagging`, flags the rows that are not pivots and not zero in the next block.
{% endif %}
//
// One workgroup of 256 threads does 256 rows of a tile (128 columns). The next panel waits for it, so the
// latency from the first load to the last store counts: the tables are small and all made at once.
// (update.wgsl has large tables, which take fewer look-ups.)

{% include "gf2/outcome.wgsl" %}
{% include "gf2/sums.wgsl" %}

var<private> tile: u32;

// The order of `acting` is that of update.wgsl.
fn vector_of(slot: u32) -> vec4<u32> {
    return acting[256u * tile + 32u * (slot % 8u) + slot / 8u];
}

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
    // A barrier follows, so control flow must not depend on `tile`: private variables are not uniform.
    let own_tile = params.first_tile + index % params.tiles;
    tile = own_tile;
{% if in_order %}
    let first = params.first_row + (index / params.tiles) * WORKGROUP;
{% else %}
    // Pivot rows stand first, and are left out unless all rows are to be reduced.
    let done = select(outcome[DONE], 0u, params.all_rows == 1u);
    let first = done + (index / params.tiles) * WORKGROUP;
{% endif %}
    if (first >= params.rows) {
        return;
    }
    let row = first + lane;
    let at = (tile - params.part_tile) * params.stride + row;
    let before = matrix[at];
    let low = selections[row];
    let high = selections[params.stride + row];
    fill_tables(lane);
    workgroupBarrier();
    var after = before ^ sum_of(low, high, lane);
{% if not in_order %}
    // For a block without pivots, `acting` still holds those of an earlier block.
    if (outcome[BEFORE] == outcome[DONE]) {
        after = before;
    }
{% endif %}
    matrix[at] = after;
    if (tile >= params.next_tile) {
{% if in_order %}
        let is_active = leads[row] == 0xffffffffu;
        after = select(vec4<u32>(), after, is_active);
{% endif %}
        next_selections[(tile - params.next_tile) * params.stride + row] = after;
{% if not in_order %}
        let eligible = row < params.rows && row >= outcome[DONE];
        if (params.flagging == 1u && eligible && any(after != vec4<u32>())) {
            atomicOr(&flags[row / 32u], 1u << (row % 32u));
        }
{% endif %}
    }
}
