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
        r3 = x_of(pair.x);
        r1 = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, r3, r1);
        if (kind == DIFFERENT || kind == EQUAL) {
            r2 = load_y(pair.x);
            let y = load_y(pair.y);
            r5 = load_product(index);
            r4 = denominator(kind, pair.x, r3, r1);
            r6 = big_sub(y, r2, 1u);
            run(select(1u, 0u, kind == EQUAL), params.turns);
            r1 = big_canonical_4(r1);
            r2 = big_canonical_4(r2);
        } else {
            r2 = BIG_ZERO;
            if (kind == INFINITE) {
                r1 = BIG_ZERO;
            }
            if (kind == LEFT) {
                r1 = r3;
                r2 = big_canonical(load_y(pair.x));
            }
            if (kind == RIGHT) {
                r2 = big_canonical(load_y(pair.y));
            }
        }
        store_sum(index, r1, r2);
    }
}
