// The kinds of sums of two points of the table, as in pair_kind.wgsl, over a quadratic extension: two threads side by side have
// one element of every coordinate each.
{% from "msm/point_memory.wgsl" import affine_part_loader %}
{{ affine_part_loader("load_point", "points", field) }}
{% include "msm/infinity.wgsl" %}
{% include "msm/pair_kinds.wgsl" %}

// An element of the x of a point; 0 for nothing.
fn x_of(point: u32, part: u32) -> Big {
    if (point == NOTHING) {
        return BIG_ZERO;
    }
    return load_point(point & 0x7fffffffu, 0u, part);
}

// An element of the y of the left point.
fn left_y(point: u32, part: u32) -> Big {
    return load_point(point, 1u, part);
}

// An element of the y of the right point with its sign, at most p.
fn right_y(point: u32, part: u32) -> Big {
    let y = load_point(point & 0x7fffffffu, 1u, part);
    return big_select(y, big_neg(y), point >> 31u == 1u);
}

fn is_same(a: Big, b: Big) -> bool {
    return ({% for i in range(field.limbs) %}(a[{{ i }}] ^ b[{{ i }}]){{ " | " if not loop.last }}{% endfor %}) == 0u;
}

// True if a point is finite, `x` being an element of its x.
fn is_finite(point: u32, x: Big) -> bool {
    return point != NOTHING && (!is_same(x, BIG_ZERO) || !is_infinity(point & 0x7fffffffu));
}

// The kind of the sum of two points, of whose x this thread has these elements. All threads of the workgroup must call it.
fn kind_of(lane: u32, left: u32, right: u32, left_x: Big, right_x: Big) -> u32 {
    let has_left = is_finite(left, left_x);
    let has_right = is_finite(right, right_x);
    let has_same_x = both(lane, has_left && has_right && is_same(left_x, right_x));
    var has_same_y = false;
    var has_no_y = false;
    if (has_same_x) {
        let y = left_y(left, lane & 1u);
        has_same_y = is_same(y, big_canonical(right_y(right, lane & 1u)));
        has_no_y = is_same(y, BIG_ZERO);
    }
    // Two calls, of which no result decides whether the other is made: all threads wait in both.
    let is_same_y = both(lane, has_same_y);
    let is_no_y = both(lane, has_no_y);
    // The double of a point of order two is infinity.
    let is_double = is_same_y && !is_no_y;
    if (!has_left || !has_right) {
        return select(select(INFINITE, RIGHT, has_right), LEFT, has_left);
    }
    return select(DIFFERENT, select(INFINITE, EQUAL, is_double), has_same_x);
}

// An element of the denominator of the slope, as in pair_kind.wgsl. Below 2 p.
fn denominator(kind: u32, part: u32, left: u32, left_x: Big, right_x: Big) -> Big {
    if (kind == EQUAL) {
        let y = left_y(left, part);
        return big_add(y, y);
    }
    return big_sub(right_x, left_x);
}
