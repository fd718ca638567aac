// Multiplies values at the same point: left = left * right, divided by R if the reduction is Montgomery's.

{% include "ntt/arithmetic.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i < params.len) {
        left[i] = mul_var(left[i], right[i]);
    }
}
