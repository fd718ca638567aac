// Computes the sums of the buckets that several slices share, from their partial sums. If a bucket is folded,
// fold.wgsl left those of every `params.stride`-th slice that continues it:
//
//     sum = the partial sum of the slice that begins the bucket
//     slice = the next one
//     while `slice` begins within the bucket:
//         sum = sum + its partial sum
//         slice = slice + stride
//
// One thread a {{ "bucket" if by_bucket else "slice" }}.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/split_bucket.wgsl" %}
{% include "msm/shared.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field, kept) }}
{{ storer("store_sum", "sums", size, field, kept) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
{% if kept != 0 %}
    own = lane;
{% endif %}
    let continued = shared_by(thread);
    if (!continued.exists) {
        return;
    }
    var place = params.all_buckets + 2u * continued.slice + 1u;
    var slice = continued.slice + 1u;
    let stride = select(1u, params.stride, is_folded(slice, continued.limit));
    loop {
        if (load_sum(place)) {
            add_addend();
        }
        if (!begins_within(slice, continued.limit)) {
            break;
        }
        place = params.all_buckets + 2u * slice;
        slice += stride;
    }
    store_sum(continued.bucket);
}
