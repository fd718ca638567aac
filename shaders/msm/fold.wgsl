// Adds up the partial sums of buckets that many slices share, in place, as a tree of fan-in 4. The slices that
// continue a bucket are numbered from the one behind that which begins it. A dispatch does one level: of each
// `block` of them, the first one's partial sum becomes the sum of those `step` apart, as far as the bucket goes.
//
//     level 1, block = 4, step = 1      slices    0 ... 3 -> 0     4 ... 7 -> 4     ...
//     level 2, block = 16, step = 4     slices    0, 4, 8, 12 -> 0                  ...
//
// This reduces a bucket that many threads share to few sums, and no thread adds more than another. If few slices
// continue a bucket, nothing is added. One thread a slice.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/shared_bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field) }}
{{ storer("store_sum", "sums", size, field, cached | default(0)) }}

// The first entry of the bucket of entry `entry`.
fn first_of_bucket(entry: u32) -> u32 {
    var low = entry / params.segment * params.segment;
    var high = entry;
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (keys[middle] < keys[entry]) {
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
{% if cached is defined %}
    own = lane;
{% endif %}
    if (thread >= params.threads) {
        return;
    }
    let first = thread * params.slice;
    let bucket = bucket_at(first);
    if (!is_continued(first) || !begins_within(thread + params.step, bucket)) {
        return;
    }
    // Of more than FEW slices, each has another one of them FEW / 2 before it or behind it.
    let behind = begins_within(thread + FEW / 2u, bucket);
    if (!behind && (thread < FEW / 2u || bucket_at((thread - FEW / 2u) * params.slice) != bucket)) {
        return;
    }
    let begin = first_of_bucket(first) / params.slice + 1u;
    if (!is_folded(begin, bucket) || (thread - begin) % params.block != 0u) {
        return;
    }
    var slice = thread;
    loop {
        if (load_sum(params.all_buckets + 2u * slice)) {
            add_addend();
        }
        slice += params.step;
        if (slice >= thread + params.block || !begins_within(slice, bucket)) {
            break;
        }
    }
    store_sum(params.all_buckets + 2u * thread);
}
