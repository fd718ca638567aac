// A chain of 32-bit logic: eight operations a round, none of which a compiler can leave out.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var a = thread;
    var b = thread * 2654435769u;
    var c = ~thread;
    var d = thread ^ params.never;
    for (var i = 0u; i < params.rounds; i++) {
        a ^= b & c;
        b ^= c | d;
        c ^= d & a;
        d ^= a | b;
    }
    // Never true, but no compiler can know that.
    if ((a ^ b ^ c ^ d) == params.never && thread == params.never) {
        sink[0] = a;
    }
}
