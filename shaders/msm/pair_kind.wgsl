{% from "msm/coordinate.wgsl" import C, prefix, CONST %}
{% from "msm/point_memory.wgsl" import coordinate %}
// The kinds of sums of two points of the table. A point is an index; that of the right one has a sign in bit 31.
//
//     INFINITE     the sum is infinity
//     LEFT         the sum is the left point: the right one is infinity
//     RIGHT        the sum is the right point: the left one is infinity
//     DIFFERENT    the points have different x
//     EQUAL        the points are equal, and their double is finite

const INFINITE: u32 = 0u;
const LEFT: u32 = 1u;
const RIGHT: u32 = 2u;
const DIFFERENT: u32 = 3u;
const EQUAL: u32 = 4u;

// A point that a pair does not have.
const NOTHING: u32 = 0xffffffffu;

// y - a for the y of a point with its sign, both at most p; below 3 p.
fn big_signed_difference(point: u32, y: Big, a: Big) -> Big {
    let sign = 1 - 2 * i32(point >> 31u);
    var out: Big;
    var column = 0;
{% for limb in field.p_twice %}
    column += {{ limb }} + sign * i32(y[{{ loop.index0 }}]) - i32(a[{{ loop.index0 }}]);
    out[{{ loop.index0 }}] = u32(column) & LIMB_MASK;
    column = column >> 30u;
{% endfor %}
    return out;
}

{% if few_registers %}
{% include "msm/pair_kind_in_memory.wgsl" %}
{% else %}
{{ coordinate("load_x", "points", 0, field) }}
{{ coordinate("load_y", "points", 1, field) }}

// The y of the right point with its sign, at most p.
fn load_right_y(point: u32) -> {{ C(field) }} {
    let y = load_y(point & 0x7fffffffu);
    return {{ prefix(field) }}_select(y, {{ prefix(field) }}_neg(y), point >> 31u == 1u);
}

// The x of a point; 0 for nothing.
fn x_of(point: u32) -> {{ C(field) }} {
    if (point == NOTHING) {
        return {{ CONST(field) }}_ZERO;
    }
    return load_x(point & 0x7fffffffu);
}

fn is_same(a: {{ C(field) }}, b: {{ C(field) }}) -> bool {
    var different = 0u;
{% for part in ([".c0", ".c1"] if field.degree == 2 else [""]) %}
{% for i in range(field.limbs) %}
    different |= a{{ part }}[{{ i }}] ^ b{{ part }}[{{ i }}];
{% endfor %}
{% endfor %}
    return different == 0u;
}

// True if a point with this x is finite. (0, 0) stands for infinity.
fn is_finite(point: u32, x: {{ C(field) }}) -> bool {
    if (point == NOTHING) {
        return false;
    }
    if (!is_same(x, {{ CONST(field) }}_ZERO)) {
        return true;
    }
    return !is_same(load_y(point & 0x7fffffffu), {{ CONST(field) }}_ZERO);
}

// The kind of the sum of two points with these x.
fn kind_of(left: u32, right: u32, left_x: {{ C(field) }}, right_x: {{ C(field) }}) -> u32 {
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
    return select(INFINITE, EQUAL, is_same(y, load_right_y(right)) && !is_same(y, {{ CONST(field) }}_ZERO));
}

// The denominator of the slope of the line through the points: x2 - x1, or for equal points
// 2 y; 1 if there is no such line. Below 2 p.
fn denominator(kind: u32, left: u32, left_x: {{ C(field) }}, right_x: {{ C(field) }}) -> {{ C(field) }} {
    if (kind == DIFFERENT) {
        return {{ prefix(field) }}_sub(right_x, left_x);
    }
    if (kind == EQUAL) {
        let y = load_y(left);
        return {{ prefix(field) }}_add(y, y);
    }
    return {{ CONST(field) }}_ONE;
}{% endif %}
