// Copies rows of packed words to tiles. A tile has 128 columns of every row, row by row.
//
// A workgroup of 256 threads does 32 rows of 8 tiles, so that it reads and writes runs of memory.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    let tile_groups = (params.tiles + 7u) / 8u;
    let row = 32u * (index / tile_groups) + lane % 32u;
    let tile = 8u * (index % tile_groups) + lane / 32u;
    if (row >= params.rows || tile >= params.tiles) {
        return;
    }
    let word = 4u * (params.part_tile + tile);
    var bits = vec4<u32>();
    for (var i = 0u; i < 4u; i++) {
        if (word + i < params.width) {
            bits[i] = words[row * params.width + word + i];
        }
    }
    matrix[tile * params.stride + params.first_row + row] = bits;
}
