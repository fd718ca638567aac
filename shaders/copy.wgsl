// Copies a vector, 16 bytes per thread. The time is the lower bound of a pass over memory.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i < params.len) {
        target_words[i] = source_words[i];
    }
}
