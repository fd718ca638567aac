// Reads words at random places of a vector of 2^k words. No place depends on a word that was read, as in a gathering kernel.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var place = thread * 2654435769u;
    var sum = thread;
    for (var i = 0u; i < params.rounds; i++) {
        place = place * 1664525u + 1013904223u;
        sum += words[(place >> 5u) & params.mask];
    }
    // Never true, but no compiler can know that.
    if (sum == params.never && thread == params.never) {
        sink[0] = sum;
    }
}
