// Computes the sums of the buckets that several slices share, from their partial sums. If a bucket is folded,
// fold.wgsl left those of every `params.stride`-th slice that continues it:
//
//     sum = the partial sum of the slice that begins the bucket
//     slice = the next one
//     while `slice` begins within the bucket:
//         sum = sum + its partial sum
//         slice = slice + stride
//
{% if by_bucket %}
// One thread a bucket. This form is for fewer buckets than slices.
{% else %}
// One thread a slice, for the bucket that the slice begins and does not end. This form is for fewer slices
// than buckets, most of which lie within one slice.
{% endif %}

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/shared_bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field) }}
{{ storer("store_sum", "sums", size, field, cached | default(0)) }}

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
{% if by_bucket %}
    let bucket = thread;
    if (bucket >= params.all_buckets) {
        return;
    }
    // The entries of nothing at the end of the list belong to the last bucket.
    let end = select(offsets[bucket + 1u], params.entries, bucket + 1u == params.all_buckets);
    var slice = offsets[bucket] / params.slice;
    if (offsets[bucket] == end) {
        return;
    }
    let limit = (end - 1u) / params.slice;
    if (slice == limit) {
        return;
    }
{% else %}
    if (thread >= params.threads) {
        return;
    }
    let first = thread * params.slice;
    let last = first + params.slice;
    // Nothing to do if the last bucket ends with the slice, or if the slice does not begin it.
    if (!is_continued(last) || (is_continued(first) && bucket_at(first) == bucket_at(last))) {
        return;
    }
    let bucket = bucket_at(last);
    let limit = bucket;
    var slice = thread;
{% endif %}
    var place = params.all_buckets + 2u * slice + 1u;
    slice++;
    let stride = select(1u, params.stride, is_folded(slice, limit));
    loop {
        if (load_sum(place)) {
            add_addend();
        }
        if (!begins_within(slice, limit)) {
            break;
        }
        place = params.all_buckets + 2u * slice;
        slice += stride;
    }
    store_sum(bucket);
}
