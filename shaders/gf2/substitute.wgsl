// The substitution of a block's eliminators, second half; elsewhere.wgsl is the first and explains both.
// Adds up, for each eliminator, the first halves of those eliminators of the block that its state selects.
//
// One workgroup of 256 threads a tile; a thread has a column of the block.

{% include "gf2/info.wgsl" %}
{% include "gf2/sums.wgsl" %}

var<private> tile: u32;

fn at(slot: u32) -> u32 {
    return (256u * params.block + slot) * params.tiles + tile;
}

// The result of the first half for a column. No state selects a column without an eliminator.
fn vector_of(slot: u32) -> vec4<u32> {
    return reduced[at(slot)];
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    if (index >= params.group_count) {
        return;
    }
    tile = index;
    fill_tables(lane);
    workgroupBarrier();
    let base = INFO * params.block;
    if (((info[base + lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        let state = 2u * (256u * params.block + lane);
        let low = vec4<u32>(info[base], info[base + 1u], info[base + 2u], info[base + 3u]);
        let high = vec4<u32>(info[base + 4u], info[base + 5u], info[base + 6u], info[base + 7u]);
        reduced[at(lane)] = sum_of(states[state] & low, states[state + 1u] & high, lane);
    }
}
