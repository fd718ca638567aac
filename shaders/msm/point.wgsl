// Points in registers and in memory, and their sum, with every special case.
//
// The accumulator is in the registers r0 to r{{ size - 1 }}, the addend in those behind. In memory a point is
// {{ size }} lazy elements, filled up to whole vectors of four words; the third element is 0 for
// infinity alone.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}

// Whether the accumulator holds a finite point; it starts at infinity.
var<private> finite: bool;

// Adds the addend, a finite point, to the accumulator, a finite point: the formula for two
// different points, and where that does not apply the one for doubling, whose turns are behind
// its own. Returns whether the sum is finite.
fn add_registers() -> bool {
    var first = 0u;
    var last = params.last_adding;
    loop {
        let marks = run(first, last);
        if (!marks.same_x) {
            return true;
        }
        // Opposite points; or twice a point of order two.
        if (!marks.same_y || last == params.last_doubling) {
            return false;
        }
        first = last + 1u;
        last = params.last_doubling;
    }
    return false;
}
