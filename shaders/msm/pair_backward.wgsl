{% from "msm/coordinate.wgsl" import prefix, CONST, get, put %}
{% set f = prefix(field) %}
{% set reduced = "ext_canonical_5" if field.degree == 2 else "big_canonical_4" %}
// The addition of pairs of affine points, last of three kernels: thread t walks its pairs back, from the
// inverse of the product of all its denominators, and stores the sums.
//
// Registers: the slope's numerator; the inverse of the product up to and including this denominator; x of
// the right point; y and x of the left point; this denominator; the product before it. For equal points
// the formula begins earlier, at the turns that compute the numerator of a tangent.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
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
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads || thread >= params.pairs) {
        return;
    }
    {{ put(1, "load_inverse(thread)", field) }}
    let turns = (params.pairs - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let pair = pairs[index];
        {{ put(4, "x_of(pair.x)", field) }}
        {{ put(2, "x_of(pair.y)", field) }}
        let kind = kind_of(pair.x, pair.y, {{ get(4, field) }}, {{ get(2, field) }});
        if (kind == DIFFERENT || kind == EQUAL) {
            {{ put(3, "load_y(pair.x)", field) }}
            let y = load_y(pair.y);
            {{ put(6, "load_product(index)", field) }}
            {{ put(5, "denominator(kind, pair.x, " ~ get(4, field) ~ ", " ~ get(2, field) ~ ")", field) }}
            {{ put(0, f ~ "_sub(y, " ~ get(3, field) ~ ", 1u)", field) }}
            run(select(params.adding, 0u, kind == EQUAL), params.last);
            {{ put(2, reduced ~ "(" ~ get(2, field) ~ ")", field) }}
            {{ put(3, reduced ~ "(" ~ get(3, field) ~ ")", field) }}
        } else {
            {{ put(3, CONST(field) ~ "_ZERO", field) }}
            if (kind == INFINITE) {
                {{ put(2, CONST(field) ~ "_ZERO", field) }}
            }
            if (kind == LEFT) {
                {{ put(2, get(4, field), field) }}
                {{ put(3, f ~ "_canonical(load_y(pair.x))", field) }}
            }
            if (kind == RIGHT) {
                {{ put(3, f ~ "_canonical(load_y(pair.y))", field) }}
            }
        }
        store_sum(index, {{ get(2, field) }}, {{ get(3, field) }});
    }
}
