// Finds the first entry of each bucket in the sorted list: offsets[b] for bucket b, numbered through all
// sets, and at the end the length of the list. One thread a bucket, by binary search among its set's
// entries.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let bucket = workgroup_index(id, count) * WORKGROUP + lane;
    if (bucket > params.all_buckets) {
        return;
    }
    let bucket_set = bucket / params.buckets;
    let key = bucket % params.buckets;
    var low = bucket_set * params.segment;
    var high = low + select(params.segment, 0u, bucket == params.all_buckets);
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (keys[middle] < key) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    offsets[bucket] = low;
}
