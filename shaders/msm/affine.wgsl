// The addition of affine points of the table to the accumulator.

{% from "msm/point_memory.wgsl" import lane %}
// The value of an entry whose digit is 0.
const NOTHING: u32 = 0xffffffffu;
{% set table_vectors = 2 * field.words // 4 %}

// Loads an affine point of the table into the addend, negated if asked. Returns whether it
// is finite: (0, 0) stands for infinity.
fn load_affine(index: u32, negative: bool) -> bool {
    var any = vec4(0u);
{% for i in range(table_vectors) %}
    let v{{ i }} = points[index * {{ table_vectors }}u + {{ i }}u];
    any |= v{{ i }};
{% endfor %}
{% for k in range(2) %}
    r{{ size + k }} = big_unpack_canonical(Words_canonical({% for i in range(field.words) %}{{ lane(k * field.words + i) }}, {% endfor %}));
{% endfor %}
    if (negative) {
        r{{ size + 1 }} = big_neg(r{{ size + 1 }});
    }
    return (any.x | any.y | any.z | any.w) != 0u;
}

// Makes the affine point in the addend the accumulator.
fn copy_affine() {
    r0 = r{{ size }};
    r1 = r{{ size + 1 }};
{% for k in range(2, size) %}
    r{{ k }} = BIG_ONE;
{% endfor %}
    finite = true;
}

// Adds the point of the table that an entry's value names, negated if its bit 31 is set, or nothing.
fn add_entry(value: u32) {
    if (value != NOTHING && load_affine(value & 0x7fffffffu, value >> 31u == 1u)) {
        if (finite) {
            finite = add_registers();
        } else {
            copy_affine();
        }
    }
}
