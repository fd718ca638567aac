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
{% include "msm/split_bucket.wgsl" %}
{% include "msm/folded.wgsl" %}
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
    if (!leads_block(thread)) {
        return;
    }
    let bucket = bucket_at(thread * params.slice);
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
