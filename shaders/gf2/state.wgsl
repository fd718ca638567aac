// What the pivots of a block leave of each row in the block's columns, and which pivots that
// took: the row's bits times the block's state. Rows that have anything left at a column that
// is still to get a pivot are flagged.
//
// The rows from `first` on are done, unless the word of `control` that `guard` names says that
// nobody needs it.
//
// A workgroup does {{ rows }} rows a thread of one side (128 columns) of the block.

{% include "gf2/tables.wgsl" %}

var<private> side: u32;

// A pivot's row of the state; a column without one stands for itself.
fn vector_of(group: u32, bit: u32) -> vec4<u32> {
    let slot = 8u * group + bit;
    if (((info[INFO * params.block + slot / 32u] >> (slot % 32u)) & 1u) == 1u) {
        return states[2u * (256u * params.block + slot) + side];
    }
    var unit = vec4<u32>();
    if (slot / 128u == side) {
        unit[slot / 32u % 4u] = 1u << (slot % 32u);
    }
    return unit;
}

{% include "gf2/info.wgsl" %}

// The columns of half a block that may get a pivot and have none.
fn open_columns() -> vec4<u32> {
    let at = INFO * params.block + 4u * side;
    let has = vec4<u32>(info[at], info[at + 1u], info[at + 2u], info[at + 3u]);
    let may = vec4<u32>(info[at + 8u], info[at + 9u], info[at + 10u], info[at + 11u]);
    return may & ~has;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    if (index >= params.group_count || control[0] != 0u) {
        return;
    }
    if (params.guard != 0u && control[params.guard] == 0u) {
        return;
    }
    side = index % 2u;
    let row = params.first + (index / 2u) * WORKGROUP * {{ rows }}u + lane;
    let turn = lane % {{ tables }}u;
{% for i in range(rows) %}
    var sum{{ i }} = vec4<u32>();
{% endfor %}
    for (var phase = 0u; phase < {{ 32 // tables }}u; phase++) {
        fill_tables(phase, lane);
        let selection = side_of_phase(phase) * params.stride + row;
{% include "gf2/look_up.wgsl" %}
        workgroupBarrier();
    }
    let open = open_columns();
{% for i in range(rows) %}
    remainders[side * params.stride + row + {{ i }}u * WORKGROUP] = sum{{ i }};
    flag(row + {{ i }}u * WORKGROUP, sum{{ i }} & open);
{% endfor %}
}

fn flag(row: u32, left: vec4<u32>) {
{% if in_order %}
    let eligible = row < params.rows;
{% else %}
    // Pivot rows stand first.
    let eligible = row < params.rows && row >= control[params.block + 1u];
{% endif %}
    if (eligible && any(left != vec4<u32>())) {
        atomicOr(&flags[row / 32u], 1u << (row % 32u));
    }
}
