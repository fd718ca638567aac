// Writes the eliminators of a block as rows of bits: in each tile, the one of column j of the block at
// 256 tile + j.
//
// One workgroup of 256 threads a tile.

// The bits of an eliminator in a tile. Its list has the columns of its ones, descending; column c is place
// last_place - c of the matrix. A binary search finds the first place in the tile.
fn ones_of(tile: u32, lane: u32) -> vec4<u32> {
    let position = 256u * params.block + lane - params.first_position;
    var low = offsets[position];
    let end = offsets[position + 1u];
    let first_place = 128u * tile;
    var high = end;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (params.last_place - indices[middle] < first_place) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    var ones = vec4<u32>();
    for (; low < end; low++) {
        let place = params.last_place - indices[low] - first_place;
        if (place >= 128u) {
            break;
        }
        ones[place / 32u] |= 1u << (place % 32u);
    }
    return ones;
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
    let tile = params.first_tile + index;
    eliminators[256u * tile + lane] = ones_of(tile, lane);
}
