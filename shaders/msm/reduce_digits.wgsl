// One layer of the bucket reduction by digits of a bucket's number in base `scale`. The list holds `arrays`
// arrays of `groups` groups of `scale` points. Each group is added up, and of the groups of the first array
// the sums weighted by the points' places become a new, last array: those of buckets by this layer's digit.
//
//     plain = weighted = infinity
//     for place = scale - 1 down to 0:
//         plain += point at place
//         if place > 0 and the array is the first: weighted += plain
//
// Both sums are kept where the results go.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_input", "input", size, size, field, kept) }}
{{ loader("load_addend", "output", size, size, field, kept) }}
{{ loader("load_output", "output", 0, size, field, kept) }}
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
    if (thread >= params.arrays * params.groups) {
        return;
    }
    let is_weighted = thread < params.groups;
    var place = params.scale - 1u;
    var adding_plain = false;
    loop {
        var destination = thread;
        var some = false;
        if (adding_plain) {
            destination = params.arrays * params.groups + thread;
            some = load_addend(thread);
        } else {
            some = load_input(thread * params.scale + place);
        }
        // Where one thread computes two sums, the one is put aside while it adds to the other.
        if (is_weighted) {
            finite = place + 1u < params.scale;
            if (finite) {
                finite = load_output(destination);
            }
        }
        if (some) {
            add_addend();
        }
        if (is_weighted || place == 0u) {
            store_output(destination);
        }
        if (place == 0u) {
            break;
        }
        if (is_weighted && !adding_plain) {
            adding_plain = true;
        } else {
            adding_plain = false;
            place--;
        }
    }
}
