{% include "msm/pair_kinds.wgsl" %}
{% from "msm/coordinate.wgsl" import C, prefix, CONST %}
{% from "msm/point_memory.wgsl" import coordinate %}

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
}
