// The addition of an addend that has the accumulator's coordinates.

{% include "msm/copy_addend.wgsl" %}

// Adds the addend, a finite point.
fn add_addend() {
    if (finite) {
        finite = add_registers();
    } else {
        copy_addend();
    }
}
