// Looks up vectors in a table in workgroup memory and adds them over GF(2), as the updates of an elimination do.

var<workgroup> table: array<vec4<u32>, 256>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    for (var i = lane; i < 256u; i += WORKGROUP) {
        table[i] = vec4(i * 2654435769u) ^ vec4(0u, 1u, 2u, 3u);
    }
    workgroupBarrier();
    var digits = thread * 2654435769u + 1u;
    var sum = vec4(thread);
    for (var i = 0u; i < params.rounds; i++) {
        digits = digits * 1664525u + 1013904223u;
        sum ^= table[digits & 255u];
        sum ^= table[(digits >> 8u) & 255u];
        sum ^= table[(digits >> 16u) & 255u];
        sum ^= table[digits >> 24u];
    }
    // Never true, but no compiler can know that.
    let all = sum.x ^ sum.y ^ sum.z ^ sum.w;
    if (all == params.never && thread == params.never) {
        sink[0] = all;
    }
}
