// The addition of pairs of affine points over a quadratic extension, last of four kernels: thread t computes the sum of pair t
// from the slope of the line through its points.
//
// Registers: x of the right point; y and x of the left point; the slope.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "msm/canonical.wgsl" import canonical %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import affine_storer, element_loader, element_of_affine_storer %}
{% if few_registers %}
{{ element_of_affine_storer("store_element", "sums", field) }}
{% else %}
{{ affine_storer("store_sum", "sums", field) }}
{% endif %}
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
{% if few_registers %}
    let kind = kind_of(pair.x, pair.y);
    let is_sum = kind == DIFFERENT || kind == EQUAL;
    let once = min(params.group_count, 1u);
    if (is_sum) {
        for (var k = 0u; k < 6u * once; k++) {
            r[k][own] = load_element(select(pair.x, place_of(pair.y), k < 2u), select(k, k - 4u, k >= 4u));
        }
        let slope = load_slope(index);
        {{ register(6, kept) }} = slope.c0;
        {{ register(7, kept) }} = slope.c1;
        run(0u, params.last);
    }
    for (var k = 0u; k < 4u * once; k++) {
        var element = BIG_ZERO;
        if (is_sum) {
            element = {{ canonical(sums | max) }}(r[k][own]);
        } else if (kind == LEFT) {
            element = load_element(pair.x, k);
        } else if (kind == RIGHT && k < 2u) {
            element = load_element(place_of(pair.y), k);
        } else if (kind == RIGHT) {
            element = right_y(pair.y, k - 2u);
        }
        store_element(index, k, element);
    }
{% else %}
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
{% endif %}
}
