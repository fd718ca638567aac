{% from "msm/coordinate.wgsl" import prefix, CONST, get, put %}
// Converts points X, Y, ZZ, ZZZ to affine points, from the running products of their ZZZ (products.wgsl) and
// the inverse of each thread's whole product. Thread t walks its points back. For a point and the inverse I
// of the product up to and including its ZZZ:
//
//     1/ZZZ = I times the product before        x = X / ZZ
//     1/ZZ = (ZZ / ZZZ)^2                       y = Y / ZZZ
//     I = I ZZZ                                 for the point before

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% from "msm/point_memory.wgsl" import affine_storer, element_loader %}
{{ affine_storer("store_affine", "affine", field) }}
{{ element_loader("load_product", "products", field) }}
{{ element_loader("load_inverse", "inverses", field) }}

// Registers, before the formula: I, X, Y, ZZ, ZZZ, the product before. After it: the next I, x, y.
fn load_coordinate(element: u32) -> Big {
    var w: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        w[i] = points[element * {{ field.lazy_words }}u + i];
    }
    return big_unpack_lazy(w);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads || thread >= params.points) {
        return;
    }
    {{ put(0, "load_inverse(thread)", field) }}
    let turns = (params.points - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
{% for k in range(4 * field.degree) %}
        r{{ field.degree + k }} = load_coordinate(index * {{ 4 * field.degree }}u + {{ k }}u);
{% endfor %}
{% set f = prefix(field) %}
        {{ put(5, "load_product(index)", field) }}
        let infinite = {{ f }}_is_zero({{ get(4, field) }});
        {{ put(4, f ~ "_select(" ~ get(4, field) ~ ", " ~ CONST(field) ~ "_ONE, infinite)", field) }}
        run(0u, params.turns);
        let x = {{ f }}_select({{ f }}_canonical({{ get(1, field) }}), {{ CONST(field) }}_ZERO, infinite);
        let y = {{ f }}_select({{ f }}_canonical({{ get(2, field) }}), {{ CONST(field) }}_ZERO, infinite);
        store_affine(params.first + index, x, y);
    }
}
