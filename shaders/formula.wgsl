// Runs formulas: field elements in the registers r0, r1, ..., multiplied and added up turn by turn.
//
// There is one multiplication in the whole kernel, in a loop whose length no compiler knows: a
// formula with ten of them inlined takes many times longer to compile and runs slower, and so does
// one with a squaring beside it (benches/RESULTS.md). The registers are variables of their own, and
// what a turn reads and writes is a switch: an array with computed indices would lie in memory, and
// every turn would wait for it.

{% for k in range(registers) %}
var<private> r{{ k }}: Big;
{% endfor %}

struct Marks {
    same_x: bool,
    same_y: bool,
}

// The turns that set same_y, as bits.
{% set bits = namespace(same_y=0) %}
{% for turn in turns %}
{% if turn.mark == "same_y" %}{% set bits.same_y = bits.same_y + 2 ** loop.index0 %}{% endif %}
{% endfor %}
const SAME_Y: u32 = {{ bits.same_y }}u;

{% macro limb(unit, j) %}{% set name = "product" if unit.register is none else "r" ~ unit.register %}{% if not unit.twice %}i32({{ name }}[{{ j }}]){% elif j == 0 %}i32(({{ name }}[0] << 1u) & LIMB_MASK){% else %}i32(((({{ name }}[{{ j }}] << 1u) | ({{ name }}[{{ j - 1 }}] >> 29u))) & LIMB_MASK){% endif %}{% endmacro %}
{% macro linear(step) %}
{% set value = "product" if step.value is none else "r" ~ step.value %}
{% if step.scale == 1 and not step.terms and step.offset == 0 %}
                r{{ step.destination }} = {{ value }};
{% elif step.columns %}
                var sum: Big;
                var column = 0;
{% for multiple in step.multiple %}
{% set j = loop.index0 %}
                column += {% for unit in step.columns[0] %}{{ " + " if not loop.first }}{{ limb(unit, j) }}{% endfor %}{{ " + " ~ multiple if step.offset > 0 }}{% for unit in step.columns[1] %} - {{ limb(unit, j) }}{% endfor %};
                sum[{{ j }}] = u32(column) & LIMB_MASK;
                column = column >> 30u;
{% endfor %}
                r{{ step.destination }} = sum;
{% else %}
{% set terms = step.terms + [[0, 0], [0, 0]] %}
                r{{ step.destination }} = big_combine({{ value }}, {{ step.scale }}, r{{ terms[0][1] }}, {{ terms[0][0] }}, r{{ terms[1][1] }}, {{ terms[1][0] }}, {{ step.offset }}u);
{% endif %}
{% endmacro %}

// Turns first to last - 1. After equal x the operands stay, for the formula that applies.
fn run(first: u32, last: u32) -> Marks {
    var marks = Marks(false, false);
    for (var turn = first; turn < last; turn++) {
        if (marks.same_x && ((SAME_Y >> turn) & 1u) == 0u) {
            continue;
        }
        var a: Big;
        var b: Big;
        switch (turn) {
{% for turn in turns %}
            case {{ loop.index0 }}u{{ ", default" if loop.last }}: {
{% for step in turn.before %}
                {
{{ linear(step) }}
                }
{% endfor %}
                a = r{{ turn.factors[0] }};
                b = r{{ turn.factors[1] }};
            }
{% endfor %}
        }
        let product = big_mul(a, b);
        switch (turn) {
{% for turn in turns %}
            case {{ loop.index0 }}u{{ ", default" if loop.last }}: {
{% if turn.mark %}
                marks.{{ turn.mark }} = big_is_zero(product);
                if (marks.same_x) {
                    continue;
                }
{% endif %}
{% for step in turn.after %}
                {
{{ linear(step) }}
                }
{% endfor %}
            }
{% endfor %}
        }
    }
    return marks;
}
