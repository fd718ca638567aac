// Adding up pairs of affine points, last of three kernels: thread t walks its pairs back, from
// the inverse of the product of all its denominators, and stores the sums.
//
// Registers: the inverse I of the product up to this denominator; x of the right point; y and
// x of the left one; this denominator; the product before it; the slope's numerator. The
// formula's first turn sets the numerator for equal points; others begin with the second.

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
    r0 = load_inverse(thread);
    let turns = (params.pairs - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let pair = pairs[index];
        let left_x = x_of(pair.x);
        let right_x = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, left_x, right_x);
        r1 = right_x;
        r3 = left_x;
        r4 = denominator(kind, pair.x, left_x, right_x);
        r5 = load_product(index);
        if (kind == DIFFERENT || kind == EQUAL) {
            r2 = load_y(pair.x);
            r6 = big_sub(load_y(pair.y), r2, 1u);
        }
        run(select(1u, 0u, kind == EQUAL), params.turns);
        var x = big_canonical_4(r1);
        var y = big_canonical_4(r2);
        if (kind == INFINITE) {
            x = BIG_ZERO;
            y = BIG_ZERO;
        }
        if (kind == LEFT) {
            x = left_x;
            y = big_canonical(load_y(pair.x));
        }
        if (kind == RIGHT) {
            x = right_x;
            y = big_canonical(load_y(pair.y));
        }
        store_sum(index, x, y);
    }
}
