// Computes the pivots of a block in a tile from the original pivots there.
//
// The acting pivot of a column is its original pivot reduced by all other pivots of the block. It is the
// sum of the original pivots that its state selects.
{% if in_order %}
// A promoted row is the sum of those that the outcome's notes select: it is reduced only by pivots before
// its lead.
{% else %}
// Acting pivots are stored as the block's rows of the result; the rows that stood there move
// (panel/moves.wgsl).
{% endif %}
//
// One workgroup of 256 threads a tile; a thread has a column of the block.

{% include "gf2/info.wgsl" %}
{% include "gf2/outcome.wgsl" %}
{% include "gf2/sums.wgsl" %}

var<private> tile: u32;

fn at(row: u32) -> u32 {
    return (tile - params.part_tile) * params.stride + row;
}

// The original pivot of a column in the tile.
fn vector_of(slot: u32) -> vec4<u32> {
    let row = info[INFO * params.block + SLOTS + slot];
    if (row == NONE) {
        return vec4<u32>();
    }
{% if in_order %}
    if (row == GIVEN) {
        return eliminators[256u * tile + slot];
    }
{% endif %}
    return matrix[at(row)];
}

{% if in_order %}
fn words_at(i: u32) -> vec4<u32> {
    return vec4<u32>(outcome[i], outcome[i + 1u], outcome[i + 2u], outcome[i + 3u]);
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
{% if not in_order %}
    if (outcome[BEFORE] == outcome[DONE]) {
        return;
    }
{% endif %}
    tile = params.first_tile + index;
    let base = INFO * params.block;
    let present_low = vec4<u32>(info[base], info[base + 1u], info[base + 2u], info[base + 3u]);
    let present_high = vec4<u32>(info[base + 4u], info[base + 5u], info[base + 6u], info[base + 7u]);
    fill_tables(lane);
    let state = 2u * (256u * params.block + lane);
    let is_present = ((info[base + lane / 32u] >> (lane % 32u)) & 1u) == 1u;
{% if not in_order %}
    let is_moved = lane < outcome[NOTES];
    var moved = vec4<u32>();
    if (is_moved) {
        moved = matrix[at(outcome[NOTES + 1u + 2u * lane])];
    }
{% endif %}
    workgroupBarrier();
    var pivot = vec4<u32>();
    if (is_present) {
        pivot = sum_of(states[state] & present_low, states[state + 1u] & present_high, lane);
    }
    acting[256u * tile + 32u * (lane % 8u) + lane / 8u] = pivot;
{% if in_order %}
    let row = info[base + SLOTS + lane];
    if (row < GIVEN) {
        let own = NOTES + 8u * lane;
        matrix[at(row)] = sum_of(words_at(own), words_at(own + 4u), lane);
    }
{% else %}
    if (is_present) {
        var rank = outcome[BEFORE];
        for (var w = 0u; w < lane / 32u; w++) {
            rank += countOneBits(info[base + w]);
        }
        rank += countOneBits(info[base + lane / 32u] & ((1u << (lane % 32u)) - 1u));
        matrix[at(rank)] = pivot;
    }
    if (is_moved) {
        matrix[at(outcome[NOTES + 2u + 2u * lane])] = moved;
    }
{% endif %}
}
