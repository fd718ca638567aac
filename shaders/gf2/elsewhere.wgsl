// The substitution of a block's eliminators, first half: their ones outside the leads of the block. The
// second half, among the block's eliminators, is substitute.wgsl.
//
// `reduced` has a row of `tiles` vectors for every place: the reduced form of a one there, which lies in the
// columns without an eliminator. A column without an eliminator is its own reduced form. The reduced form
// of a lead is the sum of the reduced forms of its eliminator's other ones.
//
//     for each block, the last one first:
//         for each eliminator of the block:                            this kernel
//             reduced[lead] = the sum of reduced[place] over its ones after the lead,
//                             without the ones at leads of the block: these are not known yet
//         for each eliminator of the block:                            substitute.wgsl
//             add reduced[lead] of the block's eliminators that its state selects
//
// A workgroup does one eliminator in `lanes` tiles. The list is long and loads are slow, so several threads
// share the list in each tile, and their partial sums are added up at the end.

var<workgroup> partial: array<vec4<u32>, WORKGROUP>;

fn has_eliminator(position: u32) -> bool {
    return offsets[position] != offsets[position + 1u];
}

// The reduced form of the one with number i of all lists; zero for a lead of the block.
fn vector_at(i: u32, tile: u32, first_position: u32) -> vec4<u32> {
    let place = params.last_place - indices[i];
    let slot = place - 256u * params.block;
    if (slot < 256u && has_eliminator(first_position + slot)) {
        return vec4<u32>();
    }
    return reduced[place * params.tiles + tile];
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
    let tile_groups = (params.tiles + params.lanes - 1u) / params.lanes;
    let slot = index / tile_groups;
    let tile = params.lanes * (index % tile_groups) + lane % params.lanes;
    let shares = WORKGROUP / params.lanes;
    let share = lane / params.lanes;
    let first_position = 256u * params.block - params.first_position;
    let position = first_position + slot;
    let is_lead = has_eliminator(position);

    var sum = vec4<u32>();
    if (is_lead && share < shares && tile < params.tiles) {
        let end = offsets[position + 1u];
        var i = offsets[position] + 1u + share;
        // Two at a time, so that the second load does not wait for the first.
        for (; i + shares < end; i += 2u * shares) {
            let a = vector_at(i, tile, first_position);
            let b = vector_at(i + shares, tile, first_position);
            sum ^= a ^ b;
        }
        if (i < end) {
            sum ^= vector_at(i, tile, first_position);
        }
    }
    partial[lane] = sum;
    workgroupBarrier();
    if (is_lead && share == 0u && tile < params.tiles) {
        for (var s = 1u; s < shares; s++) {
            sum ^= partial[s * params.lanes + lane];
        }
        reduced[(256u * params.block + slot) * params.tiles + tile] = sum;
    }
}
