// Copies 256 rows of the second factor of a product, in every tile, to the place of the acting pivots.

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
    // Rows past the last are zero.
    let row = matrix[index * params.stride + 256u * params.block + lane];
    acting[256u * (params.part_tile + index) + 32u * (lane % 8u) + lane / 8u] = row;
}
