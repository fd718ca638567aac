// Accumulation by one thread a bucket, whatever the buckets' sizes: a baseline. With `fresh` = 0 a sum
// begins with the one that is stored.

{% include "msm/point.wgsl" %}
{% include "msm/affine.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", 0, size, field, kept) }}
{{ storer("store_sum", "sums", size, field, kept) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let bucket = workgroup_index(id, count) * WORKGROUP + lane;
    if (bucket >= params.all_buckets) {
        return;
    }
{% if kept != 0 %}
    own = lane;
{% endif %}
    if (params.fresh == 0u) {
        finite = load_sum(bucket);
    }
    for (var entry = offsets[bucket]; entry < offsets[bucket + 1u]; entry++) {
        add_entry(values[entry]);
    }
    store_sum(bucket);
}
