// What the eliminators of one block are in the columns that have none, those of the blocks after
// it given: the sum of what each one comes to elsewhere than at a lead of the block itself.
//
// `reduced` has a row of `tiles` vectors for every place: what a one there comes to. For a column
// without an eliminator that is the column itself.
//
// A workgroup does one eliminator and `lanes` tiles. Its list is long, and memory far away: as
// many threads as there are for each tile share it.

var<workgroup> partial: array<vec4<u32>, WORKGROUP>;

fn has_eliminator(position: u32) -> bool {
    return offsets[position] != offsets[position + 1u];
}

// What a one comes to that is no lead of the block.
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
        // Two at a time, whose memory is then fetched at once.
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
