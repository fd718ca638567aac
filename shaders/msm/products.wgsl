{% from "msm/coordinate.wgsl" import C, prefix, CONST %}
// Computes running products for Montgomery's trick, one inversion for many elements: thread t walks the
// points t, t + threads, t + 2 threads and so on. It stores at each point the product of the ZZZ before
// it, and at the end the product of all. The ZZZ of infinity counts as 1.

{% include "big.wgsl" %}
{% from "msm/point_memory.wgsl" import element_storer %}
{{ element_storer("store_product", "products", field) }}
{{ element_storer("store_total", "totals", field) }}

// The last coordinate of point `index`, or 1 if that is 0 modulo p.
fn factor(index: u32) -> {{ C(field) }} {
{% for k in range(field.degree) %}
{% set w = "w" ~ (k if field.degree == 2 else "") %}
    var {{ w }}: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        {{ w }}[i] = points[(index * {{ 4 * field.degree }}u + {{ 3 * field.degree + k }}u) * {{ field.lazy_words }}u + i];
    }
{% endfor %}
    let z = {{ "Ext(big_unpack_lazy(w0), big_unpack_lazy(w1))" if field.degree == 2 else "big_unpack_lazy(w)" }};
    return {{ prefix(field) }}_select(z, {{ CONST(field) }}_ONE, {{ prefix(field) }}_is_zero(z));
}

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
    var product = {{ CONST(field) }}_ONE;
    for (var index = thread; index < params.points; index += params.threads) {
        store_product(index, product);
        product = {{ prefix(field) }}_mul(product, factor(index));
    }
    store_total(thread, product);
}
