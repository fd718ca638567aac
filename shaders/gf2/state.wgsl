// Reduces the rows from `first` on by the pivots of a block, in the block's columns: a row's remainder is
// the sum of the states that its bits select. Flags the rows whose remainder has a one in an open column,
// one that may get a pivot and has none.
//
// `outcome` is that of the block before. With `again`, which means before a second attempt, it is that of
// the first attempt, which may make the second unnecessary.
//
// One workgroup of 256 threads does 256 rows of one side (128 columns) of the block. It has little work, so
// the latency from the first load to the last store counts: the tables are small and all made at once.

{% include "gf2/info.wgsl" %}
{% include "gf2/outcome.wgsl" %}
{% include "gf2/sums.wgsl" %}

var<private> side: u32;

// The state of a column of the block: the state of its pivot, or a unit vector.
fn vector_of(slot: u32) -> vec4<u32> {
    return states[2u * (256u * params.block + slot) + side];
}

// The open columns of one side of the block.
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
    if (index >= params.group_count || outcome[FAILED] != 0u) {
        return;
    }
    if (params.again == 1u && outcome[AGAIN] == 0u) {
        return;
    }
    side = index % 2u;
    let first = params.first + (index / 2u) * WORKGROUP;
{% if not in_order %}
    // Pivot rows stand first, and have no remainders.
    if (first + WORKGROUP <= outcome[DONE]) {
        return;
    }
{% endif %}
    let row = first + lane;
    let low = selections[row];
    let high = selections[params.stride + row];
    fill_tables(lane);
    let open = open_columns();
    workgroupBarrier();
    let left = sum_of(low, high, lane);
    remainders[side * params.stride + row] = left;
{% if in_order %}
    let eligible = row < params.rows;
{% else %}
    let eligible = row < params.rows && row >= outcome[DONE];
{% endif %}
    if (eligible && any((left & open) != vec4<u32>())) {
        atomicOr(&flags[row / 32u], 1u << (row % 32u));
    }
}
