// Accumulation without load balance, a baseline: a thread adds up the whole buckets that begin in its slice
// of the sorted entries. If one bucket holds most of the entries, one thread does most of the work.

{% include "msm/point.wgsl" %}
{% include "msm/affine.wgsl" %}
{% from "msm/point_memory.wgsl" import storer %}
{{ storer("store_sum", "sums", size, field, kept) }}

// The first bucket that begins at `entry` or later.
fn bucket_from(entry: u32) -> u32 {
    var low = 0u;
    var high = params.all_buckets;
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (offsets[middle] < entry) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads) {
        return;
    }
{% if kept != 0 %}
    own = lane;
{% endif %}
    // The last thread also takes the empty buckets after the last entry.
    let last = select(bucket_from((thread + 1u) * params.slice), params.all_buckets, thread + 1u == params.threads);
    for (var bucket = bucket_from(thread * params.slice); bucket < last; bucket++) {
        finite = false;
        for (var entry = offsets[bucket]; entry < offsets[bucket + 1u]; entry++) {
            add_entry(values[entry]);
        }
        store_sum(bucket);
    }
}
