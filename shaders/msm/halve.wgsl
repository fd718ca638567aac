// The number of entries of a bucket after they are added up in pairs: half of them, rounded up.
// The number after that of the last bucket is 0, so that a prefix sum ends in the total.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let bucket = workgroup_index(id, count) * WORKGROUP + lane;
    if (bucket < params.all_buckets) {
        halves[bucket] = (offsets[bucket + 1u] - offsets[bucket] + 1u) / 2u;
    }
    if (bucket == params.all_buckets) {
        halves[bucket] = 0u;
    }
}
