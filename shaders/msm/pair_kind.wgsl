// The kinds of sums of two points of the table. A point is an index with the sign in bit 31.
//
//     INFINITE     the sum is infinity
//     LEFT         the sum is the left point: the right one is infinity
//     RIGHT        the sum is the right point: the left one is infinity
//     DIFFERENT    the points have different x
//     EQUAL        the points are equal, and their double is finite
{% from "msm/point_memory.wgsl" import coordinate %}

const NOTHING: u32 = 0xffffffffu;

{{ coordinate("load_x", "points", 0, field) }}
{{ coordinate("load_canonical_y", "points", 1, field) }}

const INFINITE: u32 = 0u;
const LEFT: u32 = 1u;
const RIGHT: u32 = 2u;
const DIFFERENT: u32 = 3u;
const EQUAL: u32 = 4u;

// The y of a point with its sign, at most p.
fn load_y(point: u32) -> Big {
    let y = load_canonical_y(point & 0x7fffffffu);
    return big_select(y, big_neg(y), point >> 31u == 1u);
}

// The x of a point; 0 for nothing.
fn x_of(point: u32) -> Big {
    if (point == NOTHING) {
        return BIG_ZERO;
    }
    return load_x(point & 0x7fffffffu);
}

fn is_same(a: Big, b: Big) -> bool {
    var different = 0u;
{% for i in range(field.limbs) %}
    different |= a[{{ i }}] ^ b[{{ i }}];
{% endfor %}
    return different == 0u;
}

// True if a point with this x is finite. (0, 0) stands for infinity.
fn is_finite(point: u32, x: Big) -> bool {
    if (point == NOTHING) {
        return false;
    }
    if (!is_same(x, BIG_ZERO)) {
        return true;
    }
    return !is_same(load_canonical_y(point & 0x7fffffffu), BIG_ZERO);
}

// The kind of the sum of two points with these x.
fn kind_of(left: u32, right: u32, left_x: Big, right_x: Big) -> u32 {
    let has_left = is_finite(left, left_x);
    let has_right = is_finite(right, right_x);
    if (!has_left || !has_right) {
        return select(select(INFINITE, RIGHT, has_right), LEFT, has_left);
    }
    if (!is_same(left_x, right_x)) {
        return DIFFERENT;
    }
    let y = load_y(left);
    // The double of a point of order two is infinity as well.
    return select(INFINITE, EQUAL, is_same(y, load_y(right)) && !big_is_zero(y));
}

// The denominator of the slope of the line through the points: x2 - x1, or for equal points
// 2 y; 1 if there is no such line. Below 2 p.
fn denominator(kind: u32, left: u32, left_x: Big, right_x: Big) -> Big {
    if (kind == DIFFERENT) {
        return big_sub(right_x, left_x, 1u);
    }
    if (kind == EQUAL) {
        let y = load_y(left);
        return big_add(y, y);
    }
    return BIG_ONE;
}
