// Copies the two tiles of a block to the selections: the rows' bits in the block's columns.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i < 2u * params.stride) {
        selections[i] = matrix[params.tile * params.stride + i];
    }
}
