// One layer of the total of the sums of suffixes. Each set has `len` of them. The first, the sum of all the
// set's buckets, stays alone; of the others, those new_len apart are added up:
//
//     new[0] = old[0]
//     new[j] = old[j] + old[j + new_len] + old[j + 2 new_len] + ...        0 < j < new_len
//     new[1] also gets old[new_len] + old[2 new_len] + ...
//
// At the end, of two points a set, the second is the sum of all buckets weighted by their numbers. Point j of
// set s goes to j * point_stride + s * set_stride. A thread a new point.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_input", "input", size, size, field, kept) }}
{{ storer("store_output", "output", size, field, kept) }}

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
    let bucket_set = thread / params.new_len;
    let point = thread % params.new_len;
    // Point 1 also gets those that are 0 modulo new_len.
    var place = point;
    var behind = point == 1u;
    loop {
        if (load_input(bucket_set * params.len + place)) {
            add_addend();
        }
        place += params.new_len;
        if (place >= params.len && behind) {
            behind = false;
            place = params.new_len;
        }
        if (place >= params.len || point == 0u) {
            break;
        }
    }
    store_output(point * params.point_stride + bucket_set * params.set_stride);
}
