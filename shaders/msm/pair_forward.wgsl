{% from "msm/coordinate.wgsl" import prefix, CONST %}
// The addition of pairs of affine points, first of three kernels: thread t walks the pairs t, t + threads
// and so on. It stores for each pair the product of the denominators before it, and at the end the product
// of all, so that one inversion suffices for all of them (Montgomery's trick). The second kernel,
// inverses.wgsl, inverts these products; pair_backward.wgsl computes the sums.

{% include "big.wgsl" %}
{% include "msm/pair_kind.wgsl" %}
{% from "msm/point_memory.wgsl" import element_storer %}
{{ element_storer("store_product", "products", field) }}
{{ element_storer("store_total", "totals", field) }}

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
    for (var index = thread; index < params.pairs; index += params.threads) {
        store_product(index, product);
        let pair = pairs[index];
        let left_x = x_of(pair.x);
        let right_x = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, left_x, right_x);
        product = {{ prefix(field) }}_mul(product, denominator(kind, pair.x, left_x, right_x));
    }
    store_total(thread, product);
}
