// The addition of pairs of affine points, last of three kernels: thread t walks its pairs back, from the
// inverse of the product of all its denominators, and stores the sums.
//
// Registers: the slope's numerator; the inverse of the product up to and including this denominator; x of
// the right point; y and x of the left point; this denominator; the product before it. For equal points
// the formula begins earlier, at the turns that compute the numerator of a tangent.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "msm/canonical.wgsl" import canonical %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import affine_storer, element_loader %}
{{ affine_storer("store_sum", "sums", field) }}
{{ element_loader("load_product", "products", field) }}
{{ element_loader("load_inverse", "inverses", field) }}

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
    {{ register(1, kept) }} = load_inverse(thread);
    let turns = (params.pairs - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let pair = pairs[index];
{% if few_registers %}
        let kind = kind_of(pair.x, pair.y);
        if (kind == DIFFERENT || kind == EQUAL) {
            {{ register(4, kept) }} = load_element(pair.x, 0u);
            {{ register(2, kept) }} = load_element(place_of(pair.y), 0u);
            {{ register(3, kept) }} = load_element(pair.x, 1u);
            {{ register(6, kept) }} = load_product(index);
            {{ register(5, kept) }} = denominator(kind, pair.x, pair.y, 0u);
            {{ register(0, kept) }} = numerator(pair.x, pair.y, 0u);
            run(select(params.adding, 0u, kind == EQUAL), params.last);
            {{ register(2, kept) }} = {{ canonical(sums[0]) }}({{ register(2, kept) }});
            {{ register(3, kept) }} = {{ canonical(sums[1]) }}({{ register(3, kept) }});
        } else {
            {{ register(2, kept) }} = BIG_ZERO;
            {{ register(3, kept) }} = BIG_ZERO;
            if (kind == LEFT) {
                {{ register(2, kept) }} = load_element(pair.x, 0u);
                {{ register(3, kept) }} = load_element(pair.x, 1u);
            }
            if (kind == RIGHT) {
                {{ register(2, kept) }} = load_element(place_of(pair.y), 0u);
                {{ register(3, kept) }} = right_y(pair.y, 0u);
            }
        }
{% else %}
        {{ register(4, kept) }} = x_of(pair.x);
        {{ register(2, kept) }} = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, {{ register(4, kept) }}, {{ register(2, kept) }});
        if (kind == DIFFERENT || kind == EQUAL) {
            {{ register(3, kept) }} = load_y(pair.x);
            let y = load_y(pair.y & 0x7fffffffu);
            {{ register(6, kept) }} = load_product(index);
            {{ register(5, kept) }} = denominator(kind, pair.x, {{ register(4, kept) }}, {{ register(2, kept) }});
            {{ register(0, kept) }} = big_signed_difference(pair.y, y, {{ register(3, kept) }});
            run(select(params.adding, 0u, kind == EQUAL), params.last);
            {{ register(2, kept) }} = {{ canonical(sums[0]) }}({{ register(2, kept) }});
            {{ register(3, kept) }} = {{ canonical(sums[1]) }}({{ register(3, kept) }});
        } else {
            {{ register(3, kept) }} = BIG_ZERO;
            if (kind == INFINITE) {
                {{ register(2, kept) }} = BIG_ZERO;
            }
            if (kind == LEFT) {
                {{ register(2, kept) }} = {{ register(4, kept) }};
                {{ register(3, kept) }} = load_y(pair.x);
            }
            if (kind == RIGHT) {
                {{ register(3, kept) }} = big_canonical(load_right_y(pair.y));
            }
        }
{% endif %}
        store_sum(index, {{ register(2, kept) }}, {{ register(3, kept) }});
    }
}
