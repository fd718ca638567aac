// One layer of the sums of suffixes, in place: of two runs of `run` points each, side by side, the points of
// the first get the sum of the whole second, which is its first point. Then both are one run. A thread a
// point of a first run.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", 0, size, field, kept) }}
{{ loader("load_addend", "sums", size, size, field, kept) }}
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
    if (thread >= params.points) {
        return;
    }
    let first = thread / params.run * params.run * 2u;
    if (!load_addend(first + params.run)) {
        return;
    }
    let place = first + thread % params.run;
    finite = load_sum(place);
    add_addend();
    store_sum(place);
}
