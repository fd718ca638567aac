// Load-balanced accumulation (Chen, Peng, Dai, Luo, He, TCHES 2024): every thread adds up the points of an
// equal share of the sorted entries, its slice, bucket by bucket, whatever the digits are.
//
//     entries   | a a a b b c : c c c c c c : c d d d e e |        slices of three threads
//     sums        a     b                       d   e              of buckets that lie in one slice
//     partial               c   c             c                    of the bucket that three slices share
//
// The sum of a bucket within the slice goes to the bucket's place in `sums`. After those places each
// thread has two places for partial sums: first that of a bucket that an earlier slice began, then that of
// a bucket that its slice begins and a later one continues. So no two threads write to the same place.
// With `fresh` = 0 the thread that begins a bucket starts from the sum stored in `sums`.

{% include "msm/point.wgsl" %}
{% include "msm/affine.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", 0, size, field, kept) }}
{{ storer("store_sum", "sums", size, field, kept) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    let first = thread * params.slice;
    if (thread >= params.threads || first >= params.entries) {
        return;
    }
{% if kept != 0 %}
    own = lane;
{% endif %}
    let last = min(first + params.slice, params.entries);
    var bucket = bucket_at(first);
    var continued = is_continued(first);
    var entry = first;
    // Entries are read one ahead, so that only the point itself is waited for.
    var next_bucket = bucket;
    var next_value = values[first];
    if (params.fresh == 0u && !continued) {
        finite = load_sum(bucket);
    }
    loop {
        let ended = entry == last;
        if (ended || next_bucket != bucket) {
            var place = bucket;
            if (continued) {
                place = params.all_buckets + 2u * thread;
            } else if (ended && is_continued(last)) {
                place = params.all_buckets + 2u * thread + 1u;
            }
            store_sum(place);
            if (ended) {
                break;
            }
            bucket = next_bucket;
            continued = false;
            finite = false;
            if (params.fresh == 0u) {
                finite = load_sum(bucket);
            }
        }
        let value = next_value;
        entry++;
        if (entry < last) {
            next_bucket = bucket_at(entry);
            next_value = values[entry];
        }
        add_entry(value);
    }
}
