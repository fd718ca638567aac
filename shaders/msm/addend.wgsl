// The addition of an addend that has the accumulator's coordinates.

// Makes the addend, a finite point, the accumulator.
fn copy_addend() {
{% for k in range(size) %}
    r{{ k }} = r{{ size + k }};
{% endfor %}
    finite = true;
}

// Adds the addend, a finite point.
fn add_addend() {
    if (finite) {
        finite = add_registers();
    } else {
        copy_addend();
    }
}
