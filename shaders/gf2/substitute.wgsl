// The eliminators of one block in the columns that have none, those of the blocks after it given:
// what each has elsewhere, summed, then the block's own eliminators resolved by their states.
//
// `reduced` has a row of `tiles` vectors for every place: what a one there comes to. For a column
// without an eliminator that is the column itself.
//
// One workgroup of 256 threads a tile; a thread has a column of the block.

{% include "gf2/info.wgsl" %}
{% include "gf2/sums.wgsl" %}

var<private> tile: u32;

fn at(slot: u32) -> u32 {
    return (256u * params.block + slot) * params.tiles + tile;
}

// A column without an eliminator is no part of any state.
fn vector_of(slot: u32) -> vec4<u32> {
    return reduced[at(slot)];
}

fn has_eliminator(position: u32) -> bool {
    return offsets[position] != offsets[position + 1u];
}

// The sum of what the other ones of an eliminator come to, those aside that are leads of the block.
fn elsewhere(position: u32) -> vec4<u32> {
    var sum = vec4<u32>();
    let end = offsets[position + 1u];
    for (var i = offsets[position] + 1u; i < end; i++) {
        let place = params.last_place - indices[i];
        let slot = place - 256u * params.block;
        if (slot >= 256u || !has_eliminator(256u * params.block - params.first_position + slot)) {
            sum ^= reduced[place * params.tiles + tile];
        }
    }
    return sum;
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
    let position = 256u * params.block - params.first_position + lane;
    let is_lead = has_eliminator(position);
    if (is_lead) {
        let sum = elsewhere(position);
        reduced[at(lane)] = sum;
    }
    storageBarrier();
    workgroupBarrier();
    fill_tables(lane);
    workgroupBarrier();
    if (is_lead) {
        let base = INFO * params.block;
        let state = 2u * (256u * params.block + lane);
        let low = vec4<u32>(info[base], info[base + 1u], info[base + 2u], info[base + 3u]);
        let high = vec4<u32>(info[base + 4u], info[base + 5u], info[base + 6u], info[base + 7u]);
        reduced[at(lane)] = sum_of(states[state] & low, states[state + 1u] & high, lane);
    }
}
