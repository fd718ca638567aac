// One layer of the bucket reduction, as in reduce.wgsl, with a thread for each element of a sum. The list holds `arrays` arrays of
// 2 `half` points:
//
//     for each array:     new[i] = old[2 i] + old[2 i + 1]
//     one more array:     new[i] = the first array's old[2 i + 1], the buckets with this layer's bit set

{% include "msm/by_element.wgsl" %}
{% from "msm/point_memory.wgsl" import one_loader, one_storer %}
{{ one_loader("load_input", "input", 4, field) }}
{{ one_storer("store_output", "output", 4, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = (workgroup_index(id, count) * WORKGROUP + lane) / SUM;
    let which = lane % SUM;
    // No thread leaves: all meet in the sum.
    let is_inside = index < params.arrays * params.half;
    let pair = select(0u, 2u * index, is_inside);
{% if kept == "all" %}
    r[0u][lane] = load_input(pair, which);
    r[1u][lane] = load_input(pair + 1u, which);
{% else %}
    let left = load_input(pair, which);
    let right = load_input(pair + 1u, which);
{% endif %}
    if (index < params.half) {
        store_output(params.arrays * params.half + index, which, {{ "r[1u][lane]" if kept == "all" else "right" }});
    }
{% if kept == "all" %}
    add_second(lane);
{% else %}
    let sum = sum_of(lane, left, right);
{% endif %}
    if (is_inside) {
        store_output(index, which, {{ "r[0u][lane]" if kept == "all" else "sum" }});
    }
}
