// First half of the substitution of a block's eliminators; substitute.wgsl is the second. Blocks come
// last first.
//
// `reduced` has for every place a row of `tiles` vectors: the reduced form of a one there, in the columns
// without an eliminator. For such a column that is the column itself, for a lead the sum of the reduced
// forms of its eliminator's other ones.
//
//     for each eliminator of the block:
//         reduced[lead] = the sum of reduced[place] over its ones after the lead, but those at leads of
//                         the block itself, whose reduced forms are not known yet
//
// A workgroup does one eliminator and `lanes` tiles. The list is long and loads are slow, so all threads
// of a tile share it.

var<workgroup> partial: array<vec4<u32>, WORKGROUP>;

fn has_eliminator(position: u32) -> bool {
    return offsets[position] != offsets[position + 1u];
}

// The reduced form of one number i; zero at leads of the block.
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
        // Two at a time: the second load does not wait for the first.
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
