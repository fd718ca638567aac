// Adds up the partial sums of buckets that many slices share, as fold.wgsl does, with four threads a slice.

{% include "msm/by_four.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/shared_bucket.wgsl" %}
{% include "msm/folded.wgsl" %}
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
    let thread = (workgroup_index(id, count) * WORKGROUP + lane) / 4u;
    let which = lane % 4u;
    let leads = leads_block(thread);
    if (!any_of_workgroup(lane, leads)) {
        return;
    }
    let bucket = select(0u, bucket_at(thread * params.slice), leads);
    var slice = thread;
    var sum = {{ CONST(field) }}_ZERO;
    if (leads) {
        sum = load_sum(params.all_buckets + 2u * thread, which);
    }
    loop {
        slice += params.step;
        let goes_on = leads && slice < thread + params.block && begins_within(slice, bucket);
        if (!any_of_workgroup(lane, goes_on)) {
            break;
        }
        var point = {{ CONST(field) }}_ZERO;
        if (goes_on) {
            point = load_sum(params.all_buckets + 2u * slice, which);
        }
        sum = sum_by_four(lane, sum, point);
    }
    if (leads) {
        store_sum(params.all_buckets + 2u * thread, which, sum);
    }
}
