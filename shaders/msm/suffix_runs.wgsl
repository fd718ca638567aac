// The first layer of the sums of suffixes, in place: each point of a run of `run` points becomes the sum of
// itself and of those behind it in the run. A thread a run.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
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
    if (thread >= params.runs) {
        return;
    }
    for (var left = params.run; left > 0u; left--) {
        let place = thread * params.run + left - 1u;
        if (load_sum(place)) {
            add_addend();
        }
        store_sum(place);
    }
}
