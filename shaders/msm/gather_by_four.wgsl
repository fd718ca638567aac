// Computes the sums of the buckets that several slices share, as gather.wgsl does, with four threads for each
// {{ "bucket" if by_bucket else "slice" }}.

{% include "msm/by_four.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/shared_bucket.wgsl" %}
{% include "msm/shared.wgsl" %}
{% from "msm/point_memory.wgsl" import coordinate_loader, coordinate_storer %}
{% from "msm/coordinate.wgsl" import CONST %}
{{ coordinate_loader("load_sum", "sums", field) }}
{{ coordinate_storer("store_sum", "sums", field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let which = lane % 4u;
    let continued = shared_by((workgroup_index(id, count) * WORKGROUP + lane) / 4u);
    if (!any_of_workgroup(lane, continued.exists)) {
        return;
    }
    var slice = continued.slice + 1u;
    var stride = 1u;
    var sum = {{ CONST(field) }}_ZERO;
    if (continued.exists) {
        stride = select(1u, params.stride, is_folded(slice, continued.limit));
        sum = load_sum(params.all_buckets + 2u * continued.slice + 1u, which);
    }
    loop {
        let goes_on = continued.exists && begins_within(slice, continued.limit);
        if (!any_of_workgroup(lane, goes_on)) {
            break;
        }
        var point = {{ CONST(field) }}_ZERO;
        if (goes_on) {
            point = load_sum(params.all_buckets + 2u * slice, which);
        }
        sum = sum_by_four(lane, sum, point);
        slice += stride;
    }
    if (continued.exists) {
        store_sum(continued.bucket, which, sum);
    }
}
