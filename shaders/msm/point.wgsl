// The addition of two points in registers, with every special case.

{% include "msm/accumulator.wgsl" %}

// Adds the addend to the accumulator; both must be finite. Returns whether the sum is finite. The turns of
// the doubling formula come after those of the adding formula:
//
//     run the adding formula
//     same x, same y: run the doubling formula
//     same x, other y: the sum is infinity
fn add_registers() -> bool {
    var first = 0u;
    var last = params.last_adding;
    loop {
        let marks = run(first, last);
        if (!marks.same_x) {
            return true;
        }
        // Opposite points, or the double of a point of order two.
        if (!marks.same_y || last == params.last_doubling) {
            return false;
        }
        first = last + 1u;
        last = params.last_doubling;
    }
    return false;
}
