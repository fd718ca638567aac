// Reorders vectors of n = 2^log_n scalars from natural to bit-reversed order, or back.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i >= params.len) {
        return;
    }
    let within = i & ((1u << params.log_n) - 1u);
    let came_from = (i - within) | (reverseBits(within) >> (32u - params.log_n));
    target_scalars[2u * i] = source_scalars[2u * came_from];
    target_scalars[2u * i + 1u] = source_scalars[2u * came_from + 1u];
}
