// Adds up partial sums that continue one bucket, in place, as a tree of fan-in 16. A dispatch does one level:
// for every aligned run of `block` slices that all begin within one bucket, begun earlier, the first slice's
// partial sum becomes the sum of 16 partial sums of the level below.
//
//     level 1, block = 16     slices    0 ... 15 -> 0    16 ... 31 -> 16    ...
//     level 2, block = 256    slices    0, 16, ..., 240 -> 0                ...
//
// This reduces a bucket that many threads share to few sums, and no thread adds more than another. If no
// bucket is that large, nothing is added.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field) }}
{{ storer("store_sum", "sums", size, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.blocks) {
        return;
    }
    let begin = thread * params.block;
    let first = begin * params.slice;
    if (!is_continued(first) || bucket_at(first) != bucket_at((begin + params.block - 1u) * params.slice)) {
        return;
    }
    for (var i = 0u; i < 16u; i++) {
        if (load_sum(params.all_buckets + 2u * (begin + i * (params.block / 16u)))) {
            add_addend();
        }
    }
    store_sum(params.all_buckets + 2u * begin);
}
