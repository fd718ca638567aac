// The addition of pairs of affine points over a quadratic extension, last of four kernels: thread t computes the sum of pair t
// from the slope of the line through its points.
//
// Registers: x of the right point; y and x of the left point; the slope.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "msm/canonical.wgsl" import canonical %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import affine_storer, element_loader %}
{{ affine_storer("store_sum", "sums", field) }}
{{ element_loader("load_slope", "slopes", field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let index = workgroup_index(id, count) * WORKGROUP + lane;
    if (index >= params.pairs) {
        return;
    }
    let pair = pairs[index];
    let left_x = x_of(pair.x);
    let right_x = x_of(pair.y);
    let kind = kind_of(pair.x, pair.y, left_x, right_x);
    var x = EXT_ZERO;
    var y = EXT_ZERO;
    if (kind == DIFFERENT || kind == EQUAL) {
        let left_y = load_y(pair.x);
        let slope = load_slope(index);
        {{ register(0, kept) }} = right_x.c0;
        {{ register(1, kept) }} = right_x.c1;
        {{ register(2, kept) }} = left_y.c0;
        {{ register(3, kept) }} = left_y.c1;
        {{ register(4, kept) }} = left_x.c0;
        {{ register(5, kept) }} = left_x.c1;
        {{ register(6, kept) }} = slope.c0;
        {{ register(7, kept) }} = slope.c1;
        run(0u, params.last);
        x = Ext({{ canonical(sums[0]) }}({{ register(0, kept) }}), {{ canonical(sums[0]) }}({{ register(1, kept) }}));
        y = Ext({{ canonical(sums[1]) }}({{ register(2, kept) }}), {{ canonical(sums[1]) }}({{ register(3, kept) }}));
    }
    if (kind == LEFT) {
        x = left_x;
        y = load_y(pair.x);
    }
    if (kind == RIGHT) {
        x = right_x;
        y = ext_canonical(load_right_y(pair.y));
    }
    store_sum(index, x, y);
}
