{% from "msm/coordinate.wgsl" import prefix, CONST %}
{% set extended = field.degree == 2 %}
// The addition of pairs of affine points, first of {{ "four" if extended else "three" }} kernels: thread t walks the pairs t, t + threads
// and so on. It stores for each pair the product of the denominators before it, and at the end the product
// of all, so that one inversion suffices for all of them (Montgomery's trick). The second kernel,
// inverses.wgsl, inverts these products; {{ "pair_slopes.wgsl and pair_sums.wgsl compute" if extended else "pair_backward.wgsl computes" }} the sums.
{% if extended %}
//
// In the extension 1 / d is the conjugate of d over its norm, which lies in the prime field (Itoh and Tsujii, 1988). So
// the products are those of norms, and with each the norm of its pair is stored:
//
//     d = d0 + d1 u,    1 / d = (d0 - d1 u) / (d0^2 {{ "+ d1^2" if field.minus_square == 1 else "+ " ~ field.minus_square ~ " d1^2" }})
{% endif %}

{% set in_memory = extended and few_registers %}
{% if in_memory %}
// In workgroup memory: the product of the norms before, both elements of the denominator, its norm.
var<workgroup> r: array<array<Big, WORKGROUP>, 4>;

{% endif %}
{% include "big.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "msm/point_memory.wgsl" import element_storer %}
{{ element_storer("store_product", "products", field) }}
{{ element_storer("store_total", "totals", {"degree": 1, "lazy_words": field.lazy_words}) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads) {
        return;
    }
{% if in_memory %}
    r[0][lane] = BIG_ONE;
{% else %}
    var product = BIG_ONE;
{% endif %}
    for (var index = thread; index < params.pairs; index += params.threads) {
{% if not extended %}
        store_product(index, product);
{% endif %}
        let pair = pairs[index];
{% if few_registers %}
        let kind = kind_of(pair.x, pair.y);
{% else %}
        let left_x = x_of(pair.x);
        let right_x = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, left_x, right_x);
        let d = denominator(kind, pair.x, left_x, right_x);
{% endif %}
{% if in_memory %}
        let parts = 2u * min(params.group_count, 1u);
        for (var k = 0u; k < parts; k++) {
            r[1u + k][lane] = denominator(kind, pair.x, pair.y, k);
        }
        // Iteration 0 computes the norm, iteration 1 the product: the kernel has one multiplication.
        for (var i = 0u; i < parts; i++) {
            let found = big_dot(r[1u - i][lane], 1u + 2u * i, lane, {{ "r[2][lane]" if field.minus_square == 1 else "big_combine(r[2][lane], " ~ field.minus_square ~ ", BIG_ZERO, 0, BIG_ZERO, 0, 0u)" }}, 2u, lane, i == 0u);
            if (i == 0u) {
                r[3][lane] = found;
            } else {
                store_product(index, Ext(r[3][lane], r[0][lane]));
                r[0][lane] = found;
            }
        }
{% elif extended %}
        // Iteration 0 computes the norm, iteration 1 the product: the kernel has one multiplication.
        var a = d.c0;
        var b = d.c0;
        let c = {{ "d.c1" if field.minus_square == 1 else "big_combine(d.c1, " ~ field.minus_square ~ ", BIG_ZERO, 0, BIG_ZERO, 0, 0u)" }};
        let parts = 2u * min(params.group_count, 1u);
        for (var i = 0u; i < parts; i++) {
            let found = big_dot(a, b, c, d.c1, i == 0u);
            if (i == 0u) {
                a = product;
                b = found;
            } else {
                store_product(index, Ext(b, product));
                product = found;
            }
        }
{% else %}
        product = big_mul(product, {{ "denominator(kind, pair.x, pair.y, 0u)" if few_registers else "d" }});
{% endif %}
    }
    store_total(thread, {{ "r[0][lane]" if in_memory else "product" }});
}
