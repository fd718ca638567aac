// The addition of affine points of the table to the accumulator.

{% from "register.wgsl" import register %}
{% from "msm/coordinate.wgsl" import one %}
{% from "msm/point_memory.wgsl" import affine_loader %}
// The value of an entry whose digit is 0.
const NOTHING: u32 = 0xffffffffu;

{{ affine_loader("load_affine", "the addend", size, field, kept) }}
// Makes the affine point in the addend the accumulator.
fn copy_affine() {
{% for k in range(2 * field.degree) %}
    {{ register(k, kept) }} = {{ register(size + k, kept) }};
{% endfor %}
{% for k in range(2 * field.degree, size) %}
    {{ register(k, kept) }} = {{ one(k, field) }};
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
