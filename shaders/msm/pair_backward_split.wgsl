// The addition of pairs of affine points, last of three kernels, as in pair_backward.wgsl, over a quadratic extension: two
// threads side by side walk the same pairs, each with one element of every coordinate. The registers are the same; the turns
// that compute the numerators of tangents are run if any thread of the workgroup has equal points.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_split.wgsl" %}
{% from "msm/canonical.wgsl" import canonical %}
{% from "msm/point_memory.wgsl" import affine_part_storer, part_loader %}
{{ affine_part_storer("store_sum", "sums", field) }}
{{ part_loader("load_product", "products", field) }}
{{ part_loader("load_inverse", "inverses", field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let part = lane & 1u;
    let thread = (workgroup_index(id, count) * WORKGROUP + lane) / 2u;
    let has_pairs = thread < params.threads && thread < params.pairs;
    if (has_pairs) {
        r1 = load_inverse(thread, part);
    }
    let turns = (params.pairs + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        let exists = has_pairs && index < params.pairs;
        var pair = vec2(NOTHING);
        if (exists) {
            pair = pairs[index];
        }
        r4 = x_of(pair.x, part);
        r2 = x_of(pair.y, part);
        let kind = kind_of(lane, pair.x, pair.y, r4, r2);
        let is_sum = kind == DIFFERENT || kind == EQUAL;
        if (is_sum) {
            r3 = left_y(pair.x, part);
            r6 = load_product(index, part);
            r5 = denominator(kind, part, pair.x, r4, r2);
            r0 = big_signed_difference(pair.y, load_point(pair.y & 0x7fffffffu, 1u, part), r3);
        }
        let first = select(params.adding, 0u, any_of_workgroup(lane, kind == EQUAL));
        let start = select(select(NEVER, params.adding, kind == DIFFERENT), 0u, kind == EQUAL);
        run(lane, first, params.last, start);
        if (is_sum) {
            r2 = {{ canonical(sums[0]) }}(r2);
            r3 = {{ canonical(sums[1]) }}(r3);
        } else {
            r3 = BIG_ZERO;
            if (kind == INFINITE) {
                r2 = BIG_ZERO;
            }
            if (kind == LEFT) {
                r2 = r4;
                r3 = left_y(pair.x, part);
            }
            if (kind == RIGHT) {
                r3 = big_canonical(right_y(pair.y, part));
            }
        }
        if (exists) {
            store_sum(index, 0u, part, r2);
            store_sum(index, 1u, part, r3);
        }
    }
}
