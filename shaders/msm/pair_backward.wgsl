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
    r1 = load_inverse(thread);
    let turns = (params.pairs - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let pair = pairs[index];
        r4 = x_of(pair.x);
        r2 = x_of(pair.y);
        let kind = kind_of(pair.x, pair.y, r4, r2);
        if (kind == DIFFERENT || kind == EQUAL) {
            r3 = load_y(pair.x);
            let y = load_y(pair.y & 0x7fffffffu);
            r6 = load_product(index);
            r5 = denominator(kind, pair.x, r4, r2);
            r0 = big_signed_difference(pair.y, y, r3);
            run(select(params.adding, 0u, kind == EQUAL), params.last);
            r2 = {{ canonical(sums[0]) }}(r2);
            r3 = {{ canonical(sums[1]) }}(r3);
        } else {
            r3 = BIG_ZERO;
            if (kind == INFINITE) {
                r2 = BIG_ZERO;
            }
            if (kind == LEFT) {
                r2 = r4;
                r3 = load_y(pair.x);
            }
            if (kind == RIGHT) {
                r3 = big_canonical(load_right_y(pair.y));
            }
        }
        store_sum(index, r2, r3);
    }
}
