// One layer of the bucket reduction. The list holds `arrays` arrays of 2 `half` points:
//
//     for each array:     new[i] = old[2 i] + old[2 i + 1]
//     one more array:     new[i] = the first array's old[2 i + 1], the buckets with this layer's bit set
//
// After all layers array 0 holds the sum of each set's buckets, and array b + 1 the sum of the buckets whose
// number has bit b.

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
    if (thread >= params.arrays * params.half) {
        return;
    }
    if (load_input(2u * thread + 1u)) {
        copy_addend();
    }
    if (thread < params.half) {
        store_output(params.arrays * params.half + thread);
    }
    if (load_input(2u * thread)) {
        add_addend();
    }
    store_output(thread);
}
