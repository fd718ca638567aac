// Computes the sums of the buckets that several slices share, as gather.wgsl does, with a thread for each element, for each
// {{ "bucket" if by_bucket else "slice" }}.

{% include "msm/by_element.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/split_bucket.wgsl" %}
{% include "msm/shared.wgsl" %}
{% set sum = "r[0u][lane]" if kept == "all" else "sum" %}
{% from "msm/point_memory.wgsl" import one_loader, one_storer %}
{{ one_loader("load_sum", "sums", 4, field) }}
{{ one_storer("store_sum", "sums", 4, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let which = lane % SUM;
    let continued = shared_by((workgroup_index(id, count) * WORKGROUP + lane) / SUM);
    if (!any_of_workgroup(lane, continued.exists)) {
        return;
    }
    var slice = continued.slice + 1u;
    var stride = 1u;
    {{ sum if kept == "all" else "var sum" }} = BIG_ZERO;
    if (continued.exists) {
        stride = select(1u, params.stride, is_folded(slice, continued.limit));
        {{ sum }} = load_sum(params.all_buckets + 2u * continued.slice + 1u, which);
    }
    loop {
        let goes_on = continued.exists && begins_within(slice, continued.limit);
        if (!any_of_workgroup(lane, goes_on)) {
            break;
        }
        var point = BIG_ZERO;
        if (goes_on) {
            point = load_sum(params.all_buckets + 2u * slice, which);
        }
        // Infinity, of entries of nothing, is common.
        if (any_of_workgroup(lane, big_has_limbs(point))) {
{% if kept == "all" %}
            r[1u][lane] = point;
            add_second(lane);
{% else %}
            sum = sum_of(lane, sum, point);
{% endif %}
        }
        slice += stride;
    }
    if (continued.exists) {
        store_sum(continued.bucket, which, {{ sum }});
    }
}
