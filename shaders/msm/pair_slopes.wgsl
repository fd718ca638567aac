// The addition of pairs of affine points over a quadratic extension, third of four kernels: thread t walks its pairs back, from
// the inverse of the product of all their norms, and leaves the slope of the line through each pair in place of its product.
//
// Registers: the inverse of the product of the norms up to and including this one, and that of this norm; the slope's numerator;
// this norm and the product of those before it; the conjugate of the denominator. For equal points the formula begins
// earlier, at the turns that compute the numerator of a tangent from x.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import element_loader, element_storer %}
{{ element_loader("load_product", "products", field) }}
{{ element_storer("store_slope", "products", field) }}
{{ element_loader("load_inverse", "inverses", {"degree": 1, "lazy_words": field.lazy_words}) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads || thread >= params.pairs) {
        return;
    }
    {{ register(0, kept) }} = load_inverse(thread);
    let turns = (params.pairs - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let pair = pairs[index];
{% if few_registers %}
        let kind = kind_of(pair.x, pair.y);
        // The norms of other pairs are 1.
        if (kind == DIFFERENT || kind == EQUAL) {
            let parts = 2u * min(params.group_count, 1u);
            for (var k = 0u; k < parts; k++) {
                let d = denominator(kind, pair.x, pair.y, k);
                r[6u + k][own] = big_select(d, big_sub_2p(BIG_ZERO, d), k == 1u);
                if (kind == EQUAL) {
                    r[2u + k][own] = load_element(pair.x, k);
                } else {
                    r[2u + k][own] = numerator(pair.x, pair.y, k);
                }
            }
            let product = load_product(index);
            {{ register(4, kept) }} = product.c0;
            {{ register(5, kept) }} = product.c1;
{% else %}
        let left_x = x_of(pair.x);
        let right_x = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, left_x, right_x);
        // The norms of other pairs are 1.
        if (kind == DIFFERENT || kind == EQUAL) {
            let d = denominator(kind, pair.x, left_x, right_x);
            {{ register(6, kept) }} = d.c0;
            {{ register(7, kept) }} = big_sub_2p(BIG_ZERO, d.c1);
            let product = load_product(index);
            {{ register(4, kept) }} = product.c0;
            {{ register(5, kept) }} = product.c1;
            if (kind == EQUAL) {
                {{ register(2, kept) }} = left_x.c0;
                {{ register(3, kept) }} = left_x.c1;
            } else {
                let left_y = load_y(pair.x);
                let right_y = load_y(pair.y & 0x7fffffffu);
                {{ register(2, kept) }} = big_signed_difference(pair.y, right_y.c0, left_y.c0);
                {{ register(3, kept) }} = big_signed_difference(pair.y, right_y.c1, left_y.c1);
            }
{% endif %}
            run(select(params.adding, 0u, kind == EQUAL), params.last);
            store_slope(index, Ext({{ register(2, kept) }}, {{ register(3, kept) }}));
        }
    }
}
