// Sets sums to infinity, the sum of a bucket without entries.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count) * WORKGROUP + lane;
    if (index < params.vectors) {
        sums[index] = vec4(0u);
    }
}
