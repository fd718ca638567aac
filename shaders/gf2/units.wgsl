// Writes the reduced forms of the columns without an eliminator: unit vectors (see elsewhere.wgsl).

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = workgroup_index(id, count) * WORKGROUP + lane;
    if (k < params.len) {
        reduced[4u * places[k] * params.tiles + k / 32u] = 1u << (k % 32u);
    }
}
