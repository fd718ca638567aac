// The addition of pairs of affine points, last of three kernels, as in pair_backward.wgsl, over a quadratic extension: two
// threads side by side walk the same pairs, each with one element of every coordinate. The registers are the same; the turns
// that compute the numerators of tangents are run if any thread of the workgroup has equal points.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% include "msm/pair_split.wgsl" %}
{% from "msm/point_memory.wgsl" import affine_part_storer, part_loader %}
{{ affine_part_storer("store_sum", "sums", field) }}
{{ part_loader("load_product", "products", field) }}
{{ part_loader("load_inverse", "inverses", field) }}

// Runs the formulas for pairs of these kinds. All threads of the workgroup must call it.
fn add_pair(lane: u32, kind: u32) {
    var is_numerator = any_of_workgroup(lane, kind == EQUAL);
    loop {
        let first = select(params.adding, 0u, is_numerator);
        let last = select(params.last, params.adding - 1u, is_numerator);
        let is_idle = kind != EQUAL && (is_numerator || kind != DIFFERENT);
        run(lane, first, last, is_idle);
        if (!is_numerator) {
            break;
        }
        is_numerator = false;
    }
}

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
            r0 = big_sub(right_y(pair.y, part), r3);
        }
        add_pair(lane, kind);
        if (is_sum) {
            r2 = big_canonical_4(big_subtract_p(r2));
            r3 = big_canonical_4(big_subtract_p(r3));
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
