// Adds to each row the acting pivots of a block that its bits in the block's columns select.
//
// A workgroup does {{ rows }} rows a thread of one tile (128 columns). The bits of the rows
// are in `selections`, the acting pivots of the tile in `acting`.

{% include "gf2/outcome.wgsl" %}
{% include "gf2/tables.wgsl" %}

var<private> tile: u32;

// Vectors of eight groups side by side, so that a workgroup reads runs of memory.
fn vector_of(group: u32, bit: u32) -> vec4<u32> {
    return acting[256u * tile + 32u * bit + group];
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
    // What is known of a private variable says nothing about uniformity: barriers follow.
    let own_tile = params.first_tile + index % params.tiles;
    tile = own_tile;
{% if in_order %}
    let first = params.first_row + (index / params.tiles) * WORKGROUP * {{ rows }}u;
{% else %}
    // Pivot rows stand first, and are done unless all rows are to be reduced.
    let done = select(outcome[DONE], 0u, params.all_rows == 1u);
    let first = done + (index / params.tiles) * WORKGROUP * {{ rows }}u;
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
    let at = (tile - params.part_tile) * params.stride + row;
    let turn = lane % {{ tables }}u;
{% for i in range(rows) %}
    var sum{{ i }} = matrix[at + {{ i }}u * WORKGROUP];
{% endfor %}
    for (var phase = 0u; phase < {{ 32 // tables }}u; phase++) {
        fill_tables(phase, lane);
        let selection = params.selection + side_of_phase(phase) * params.selection_stride + row;
{% include "gf2/look_up.wgsl" %}
        workgroupBarrier();
    }
{% for i in range(rows) %}
    matrix[at + {{ i }}u * WORKGROUP] = sum{{ i }};
{% endfor %}
}
