// A known amount of arithmetic, a chain of dependent multiply-adds. Its time shows the clock
// frequency of the device.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var x = thread;
    for (var i = 0u; i < params.rounds; i++) {
        x = x * 1664525u + 1013904223u;
    }
    // Never true, but no compiler can know that.
    if (x == params.never && thread == params.never) {
        sink[0] = x;
    }
}
