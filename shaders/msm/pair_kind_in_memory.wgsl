{% from "msm/point_memory.wgsl" import element_of_affine %}
{% set words = field.degree * field.words %}
{% set vectors = words // 2 %}
// The kind of a sum, and what depends on it, for compilers that have few registers: words of the points are compared as they are read,
// and of a coordinate one element at a time is in registers.

{{ element_of_affine("load_element", "points", field) }}
// The place of a point in the table; any for nothing.
fn place_of(point: u32) -> u32 {
    return select(point & 0x7fffffffu, 0u, point == NOTHING);
}

// Of a coordinate, x or y, of two points at these places: the left words, the right ones and their differences, each joined by `or`.
struct Words {
    left: u32,
    right: u32,
    different: u32,
}

{% set lanes = 4 if words % 4 == 0 else 2 %}
{% macro read(place) %}{% if lanes == 4 %}points[{{ place }} * {{ vectors }}u + at]{% else %}select(points[{{ place }} * {{ vectors }}u + at / 2u].xy, points[{{ place }} * {{ vectors }}u + at / 2u].zw, at % 2u == 1u){% endif %}{% endmacro %}
fn words_of(left: u32, right: u32, coordinate: u32) -> Words {
    var words = Words();
    // The bound depends on a parameter, so that no compiler unrolls the loop.
    let end = (coordinate + min(params.group_count, 1u)) * {{ words // lanes }}u;
    for (var at = coordinate * {{ words // lanes }}u; at < end; at++) {
        let a = {{ read("left") }};
        let b = {{ read("right") }};
        let different = a ^ b;
        words.left |= {% for lane in ["x", "y", "z", "w"][:lanes] %}a.{{ lane }}{{ " | " if not loop.last }}{% endfor %};
        words.right |= {% for lane in ["x", "y", "z", "w"][:lanes] %}b.{{ lane }}{{ " | " if not loop.last }}{% endfor %};
        words.different |= {% for lane in ["x", "y", "z", "w"][:lanes] %}different.{{ lane }}{{ " | " if not loop.last }}{% endfor %};
    }
    return words;
}

// Element k of the y of the right point with its sign, below p.
fn right_y(point: u32, k: u32) -> Big {
    let y = load_element(place_of(point), {{ field.degree }}u + k);
    return big_select(y, big_canonical(big_neg(y)), point >> 31u == 1u);
}

// Element k of the denominator of the slope of the line through the points: x2 - x1, or for equal points 2 y; 1 if there is no such line.
// Below 2 p.
fn denominator(kind: u32, left: u32, right: u32, k: u32) -> Big {
    var d = BIG_ZERO;
    if (kind == DIFFERENT) {
        d = big_sub(load_element(place_of(right), k), load_element(place_of(left), k));
    } else if (kind == EQUAL) {
        let y = load_element(place_of(left), {{ field.degree }}u + k);
        d = big_add(y, y);
    } else if (k == 0u) {
        d = BIG_ONE;
    }
    return d;
}

// Element k of the numerator of the slope of the line through the points, whose x are different; below 3 p.
fn numerator(left: u32, right: u32, k: u32) -> Big {
    let y = load_element(place_of(left), {{ field.degree }}u + k);
    return big_signed_difference(right, load_element(place_of(right), {{ field.degree }}u + k), y);
}

// True if the points have the same y, which is not 0.
fn has_double(left: u32, right: u32) -> bool {
    var different = 0u;
    var any = 0u;
    // No loop over elements is unrolled: so a compiler has those of one iteration in registers.
    let elements = {{ field.degree }}u * min(params.group_count, 1u);
    for (var k = 0u; k < elements; k++) {
        let a = load_element(place_of(left), {{ field.degree }}u + k);
        let b = right_y(right, k);
{% for i in range(field.limbs) %}
        different |= a[{{ i }}] ^ b[{{ i }}];
        any |= a[{{ i }}];
{% endfor %}
    }
    return different == 0u && any != 0u;
}

// The kind of the sum of two points.
fn kind_of(left: u32, right: u32) -> u32 {
    let x = words_of(place_of(left), place_of(right), 0u);
    var has_left = x.left != 0u;
    var has_right = x.right != 0u;
    if (!has_left || !has_right) {
        // (0, 0) stands for infinity.
        let y = words_of(place_of(left), place_of(right), 1u);
        has_left = has_left || y.left != 0u;
        has_right = has_right || y.right != 0u;
    }
    has_left = has_left && left != NOTHING;
    has_right = has_right && right != NOTHING;
    if (!has_left || !has_right) {
        return select(select(INFINITE, RIGHT, has_right), LEFT, has_left);
    }
    if (x.different != 0u) {
        return DIFFERENT;
    }
    // The double of a point of order two is infinity as well.
    return select(INFINITE, EQUAL, has_double(left, right));
}
