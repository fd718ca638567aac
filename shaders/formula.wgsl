// Runs formulas on field elements in the registers r0, r1, ... A formula is a list of turns:
//
//     for each turn:
//         linear steps: registers become sums of registers and of the previous turn's product
//         product = a b, for the turn's two factors a and b
//
// The whole kernel has one multiplication, in a loop whose length no compiler knows. A formula with ten
// inlined multiplications takes many times longer to compile and runs slower, and so does one with an
// additional squaring (benches/RESULTS.md). The registers are separate variables, and a switch selects
// those that a turn reads and writes: an array with computed indices would be in memory, and every turn
// would wait for it.
{% if field.held < field.degree %}
//
// Two threads side by side have one element of every register's coordinate each, and run the same turns.
{% endif %}

{% if kept == "all" %}
{% include "formula_in_memory.wgsl" %}
{% else %}
{% from "register.wgsl" import register %}
{% from "linear.wgsl" import all %}
{% set extended = field.held == 2 %}
{% set split = field.held < field.degree %}
{% if kept != 0 %}
// The accumulator is in workgroup memory. An element has an odd number of words, so that neighbouring
// invocations meet different banks.
var<private> own: u32;
{% endif %}
{% for k in range(registers) %}
{% if k < kept %}
var<workgroup> r{{ k }}: array<Big, WORKGROUP>;
{% else %}
var<private> r{{ k }}: Big;
{% endif %}
{% endfor %}

{% if split %}
{% include "split.wgsl" %}
{% endif %}
{% if extended %}
// How a turn multiplies its factors: a b, a b + c d, a b - {{ field.minus_square if field.minus_square != 1 }} c d, (a + b) (a - b).
const SINGLE: u32 = 0u;
const SUM: u32 = 1u;
const DIFFERENCE: u32 = 2u;
const SQUARE: u32 = 3u;

{% endif %}
// The coincidences that a formula met: its points have the same x, the same y.
struct Marks {
    same_x: bool,
    same_y: bool,
}

{# The factors of a turn. #}
{% macro factors(turn) %}
                a = {{ register(turn.factors[0], kept) }};
                b = {{ register(turn.factors[1], kept) }};
{% if turn.others %}
                c = {{ register(turn.others[0], kept) }};
                d = {{ register(turn.others[1], kept) }};
{% endif %}
{% if extended and turn.product != "single" %}
                kind = {{ turn.product | upper }};
{% endif %}
{% endmacro %}

// Runs the turns from `first` to `last`; the last turn of a formula has no multiplication. After equal x
// the linear steps are skipped, so that the operands stay for the formula that applies; equal y are still
{% set leaves_early = int64 and not compact and not split and not extended %}
{% if leaves_early %}
// detected. A turn whose product is not needed leaves the switch early: so NVIDIA's compiler accumulates 1 to 4% faster than without
// (H200; benches/notebook/vendors.md).
{% else %}
// detected. No turn leaves the loop early, not even where its product is not needed, so that all registers merge in one place:
// with a `continue` in its cases NVK's compiler makes two to three times as many instructions (benches/notebook/vendors.md).
{% endif %}
{% if split %}
// All threads of the workgroup must call it, with the same turns; the registers of a thread stay before its turn `start`.
fn run(lane: u32, first: u32, last: u32, start: u32) -> Marks {
{% else %}
fn run(first: u32, last: u32) -> Marks {
{% endif %}
    var marks = Marks(false, false);
    var product: Big;
{% if extended %}
    // The first product of a marked value: whether it is 0.
    var half = false;
{% endif %}
    for (var turn = first; turn <= last; turn++) {
{% if not split %}
        var a: Big;
        var b: Big;
{% else %}
        let still = turn < start || marks.same_x;
{% endif %}
{% if extended %}
        // A second product, which is added to the first, or subtracted {{ field.minus_square }} times. Its factor with the other sign
        // is computed behind the switch, so that the code for it is there once: written out in each turn it makes
        // the reduction slower (benches/RESULTS.md).
        var c: Big;
        var d: Big;
        var kind = SINGLE;
{% endif %}
        // One switch both uses the product of the previous turn and selects the next factors.
        switch (turn) {
{% set seen = namespace(same_x=false) %}
{% for turn in turns %}
            case {{ loop.index0 }}u{{ ", default" if loop.last }}: {
{% if split %}
{% if turn.mark %}
                marks.{{ turn.mark }} = both(lane, big_is_zero(product));
{% endif %}
{% elif turn.mark == "half" %}
                half = big_is_zero(product);
{% elif turn.mark %}
                marks.{{ turn.mark }} = {{ "half && " if extended }}big_is_zero(product);
{% if turn.mark == "same_x" %}{% set seen.same_x = true %}{% endif %}
{% endif %}
{% if split %}
                if (!still{{ " && !marks.same_x" if turn.mark == "same_x" }}) {
{{ all(turn.steps, kept) }}
                }
{% if turn.factors %}
                offer(lane, {{ register(turn.factors[0], kept) }}, {{ register(turn.factors[1], kept) }});
{% endif %}
{% else %}
{# The product of this turn is needed after equal x, too, if the next turn sees from it whether y are equal. #}
{% set is_needed = not loop.last and turns[loop.index].mark in ["same_y", "half"] %}
{% set is_skipped = seen.same_x and turn.mark != "half" %}
{% if is_skipped and leaves_early and not is_needed %}
                if (marks.same_x) {
                    continue;
                }
                {
{% elif is_skipped %}
                if (!marks.same_x) {
{% else %}
                {
{% endif %}
{{ all(turn.steps, kept) }}
{% if turn.factors and is_skipped and not is_needed %}
{{ factors(turn) }}
{% endif %}
                }
{% if turn.factors and not (is_skipped and not is_needed) %}
{{ factors(turn) }}
{% endif %}
{% endif %}
{% if not turn.factors %}
{% set seen.same_x = false %}
{% if leaves_early %}
                continue;
{% endif %}
{% endif %}
            }
{% endfor %}
        }
{% if leaves_early %}
        {
{% else %}
        // Uniform: no thread waits here for others.
        if (turn != last) {
{% endif %}
{% if extended %}
            if (kind == DIFFERENCE) {
                d = big_opposite(d);
            }
{% if field.minus_square == 1 %}
            if (kind == SQUARE) {
                let difference = big_add(a, big_opposite(b));
                a = big_add(a, b);
                b = difference;
            }
{% endif %}
            product = big_dot(a, b, c, d, kind == SUM || kind == DIFFERENCE);
{% elif split %}
            product = shared_product(lane);
{% else %}
            product = big_mul(a, b);
{% endif %}
        }
    }
    return marks;
}
{% endif %}
