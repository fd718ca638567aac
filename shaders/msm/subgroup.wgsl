// Finds points outside the subgroup of order r. A point P is inside if u^power P = {{ "-f" if negative else "f" }} P, for a factor u and an
// endomorphism f of the curve; src/curve/endomorphism.rs gives the reason.
//
// `points` has point P of number i at i, and f P at count + i. `first_outside` gets the smallest number of a
// point outside. One loop has the only call that runs a formula. An iteration
//
//     doubles the accumulator,
//     adds the base to it, for a bit of u that is set,
//     makes it the new base, after the last bit of u, or
//     compares it with {{ "-f" if negative else "f" }} P, by the marks of an addition.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/affine.wgsl" %}

{% from "register.wgsl" import register %}
{% from "msm/coordinate.wgsl" import one %}
{% include "msm/multiplier.wgsl" %}

{% if kept == "all" %}
var<workgroup> base: array<array<Big, WORKGROUP>, {{ size }}>;

// Makes the accumulator the base.
fn keep_base() {
    for (var k = 0u; k < {{ size }}u * min(params.group_count, 1u); k++) {
        base[k][own] = r[k][own];
    }
}

// Makes the base the addend.
fn take_base() {
    for (var k = 0u; k < {{ size }}u * min(params.group_count, 1u); k++) {
        r[{{ size }}u + k][own] = base[k][own];
    }
}
{% else %}
{% for k in range(size) %}
var<private> base{{ k }}: Big;
{% endfor %}

// Makes the base the addend.
fn take_base() {
{% for k in range(size) %}
    r{{ size + k }} = base{{ k }};
{% endfor %}
}
{% endif %}

fn is_inside(index: u32) -> bool {
    if (!load_affine(index, false)) {
        return true;
    }
    copy_affine();
{% if kept == "all" %}
    keep_base();
{% else %}
{% for k in range(size) %}
    base{{ k }} = {{ register(k, kept) }};
{% endfor %}
{% endif %}
    var base_finite = true;
    var powers_left = {{ power }}u;
    var bit = TOP;
    var adding = false;
    // True if an addition met equal points, so that the next iteration must double instead.
    var equal = false;
    loop {
        var first = params.last_adding + 1u;
        var last = params.last_doubling;
        var idle = !finite;
        var comparing = false;
        if (equal) {
            equal = false;
        } else if (adding) {
            adding = false;
            first = 0u;
            last = params.last_adding;
            idle = !finite || !base_finite;
            if (base_finite) {
                take_base();
                if (!finite) {
                    copy_addend();
                }
            }
        } else if (bit > 0u) {
            bit--;
            adding = bit_of_u(bit);
        } else if (powers_left > 1u) {
            powers_left--;
{% if kept == "all" %}
            keep_base();
{% else %}
{% for k in range(size) %}
            base{{ k }} = {{ register(k, kept) }};
{% endfor %}
{% endif %}
            base_finite = finite;
            bit = TOP;
            idle = true;
        } else if (!finite || !load_affine(params.count + index, {{ "true" if negative else "false" }})) {
            return false;
        } else {
            comparing = true;
            first = 0u;
            last = params.last_adding;
{% for k in range(2 * field.degree, size) %}
            {{ register(size + k, kept) }} = {{ one(k, field) }};
{% endfor %}
        }
        if (!idle) {
            let marks = run(first, last);
            if (comparing) {
                return marks.same_x && marks.same_y;
            }
            equal = marks.same_x && marks.same_y && last == params.last_adding;
            finite = !marks.same_x || equal;
        }
    }
    return false;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let index = workgroup_index(id, count) * WORKGROUP + lane;
    if (index < params.count && !is_inside(index)) {
        atomicMin(&first_outside[0], index);
    }
}
