// Computes running products for Montgomery's trick, one inversion for many elements: thread t walks the
// points t, t + threads, t + 2 threads and so on. It stores at each point the product of the ZZZ before
// it, and at the end the product of all. The ZZZ of infinity counts as 1.

{% include "big.wgsl" %}
{% from "msm/point_memory.wgsl" import element_storer %}
{{ element_storer("store_product", "products", field) }}
{{ element_storer("store_total", "totals", field) }}

// The last coordinate of point `index`, or 1 if that is 0 modulo p.
fn factor(index: u32) -> Big {
    var w: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        w[i] = points[(index * 4u + 3u) * {{ field.lazy_words }}u + i];
    }
    let z = big_unpack_lazy(w);
    return big_select(z, BIG_ONE, big_is_zero(z));
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
    var product = BIG_ONE;
    for (var index = thread; index < params.points; index += params.threads) {
        store_product(index, product);
        product = big_mul(product, factor(index));
    }
    store_total(thread, product);
}
