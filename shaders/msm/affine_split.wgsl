// The addition of affine points to the accumulator, and its doubling, by two threads side by side, each of which has one element
// of every coordinate. The threads of a workgroup show each other the factors of every product, so that all of them go through
// the same turns.

{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import affine_part_loader %}
{{ affine_part_loader("load_point", "points", field) }}
{% include "msm/infinity.wgsl" %}

// Loads an element of each coordinate of affine point `index` into the addend, negated if `negative`. Returns whether it is
// finite: (0, 0) stands for infinity.
fn load_addend(index: u32, negative: bool, part: u32) -> bool {
    {{ register(size, kept) }} = load_point(index, 0u, part);
    {{ register(size + 1, kept) }} = load_point(index, 1u, part);
    let is_finite = big_has_limbs({{ register(size, kept) }}) || big_has_limbs({{ register(size + 1, kept) }}) || !is_infinity(index);
    if (negative) {
        {{ register(size + 1, kept) }} = big_neg({{ register(size + 1, kept) }});
    }
    return is_finite;
}

// Makes the affine point in the addend the accumulator.
fn copy_affine(part: u32) {
{% for k in range(2) %}
    {{ register(k, kept) }} = {{ register(size + k, kept) }};
{% endfor %}
{% for k in range(2, size) %}
    {{ register(k, kept) }} = big_select(BIG_ZERO, BIG_ONE, part == 0u);
{% endfor %}
    finite = true;
}

// Adds the addend to the accumulator, both finite, or doubles the accumulator; `idle` threads only take part in the products of
// others. All threads of the workgroup must call it, with the same `doubles`. Equal points of any of them are doubled by all of
// those. Returns whether the points were equal.
fn add_or_double(lane: u32, doubles: bool, idle: bool) -> bool {
    var is_idle = idle;
    var is_doubling = doubles;
    var is_equal = false;
    var first = select(0u, params.last_adding + 1u, doubles);
    var last = select(params.last_adding, params.last_doubling, doubles);
    loop {
        let marks = run(lane, first, last, select(first, NEVER, is_idle));
        let is_same = !is_idle && marks.same_x;
        // Opposite points, or the double of a point of order two.
        if (is_same && (is_doubling || !marks.same_y)) {
            finite = false;
        }
        if (is_doubling) {
            break;
        }
        is_equal = is_same && marks.same_y;
        is_idle = !is_equal;
        if (!any_of_workgroup(lane, is_equal)) {
            break;
        }
        is_doubling = true;
        first = last + 1u;
        last = params.last_doubling;
    }
    return is_equal;
}
