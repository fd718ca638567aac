// A point in registers, the accumulator, and a second one to add to it, the addend.
//
// The accumulator is in the registers r0 to r{{ size - 1 }}, the addend in those after them. In memory a point
// is {{ size * field.degree // field.held }} lazy elements, padded to whole vectors of four words. Only infinity has 0 as its third {{ "element" if field.degree == 1 else "coordinate" }}.
{% if field.held < field.degree %}
// A thread has one element of every coordinate, and the thread beside it the other one.
{% endif %}

{% include "big.wgsl" %}
{% include "formula.wgsl" %}

// True if the accumulator holds a finite point; it starts at infinity.
var<private> finite: bool;
