{% from "register.wgsl" import register %}
{% from "linear.wgsl" import all %}
{% set extended = field.held == 2 %}
{% set split = field.held < field.degree %}
{% set slots = registers + (1 if extended else 0) %}
// Runs formulas as formula.wgsl does, for compilers that have few registers: those of the formulas are in workgroup memory, where a
// turn finds its factors by their numbers. So only one factor, the columns of a product and what the product needs beside them are in
// registers at a time, and the switch has only the linear steps (benches/notebook/vendors.md). An element has an odd number of words,
// so that neighbouring invocations meet different banks.
var<private> own: u32;
var<workgroup> r: array<array<Big, WORKGROUP>, {{ slots }}>;

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

// Runs the turns from `first` to `last`; the last turn of a formula has no multiplication. After equal x the linear steps are skipped,
// so that the operands stay for the formula that applies; equal y are still detected.
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
{% if split %}
        let still = turn < start || marks.same_x;
{% endif %}
        var a = 0u;
        var b = 0u;
{% if extended %}
        var c = 0u;
        var d = 0u;
        var kind = SINGLE;
{% endif %}
        switch (turn) {
{% set seen = namespace(same_x=false) %}
{% for turn in turns %}
            case {{ loop.index0 }}u{{ ", default" if loop.last }}: {
{% if turn.mark and split %}
                marks.{{ turn.mark }} = both(lane, big_is_zero(product));
{% elif turn.mark == "half" %}
                half = big_is_zero(product);
{% elif turn.mark %}
                marks.{{ turn.mark }} = {{ "half && " if extended }}big_is_zero(product);
{% endif %}
{% if turn.mark == "same_x" %}{% set seen.same_x = true %}{% endif %}
{% if turn.steps %}
{% if split %}
                if (!still{{ " && !marks.same_x" if turn.mark == "same_x" }}) {
{% elif seen.same_x and turn.mark != "half" %}
                if (!marks.same_x) {
{% else %}
                {
{% endif %}
{{ all(turn.steps, kept) }}
                }
{% endif %}
{% if turn.factors %}
                a = {{ turn.factors[0] }}u;
                b = {{ turn.factors[1] }}u;
{% if turn.others %}
                c = {{ turn.others[0] }}u;
                d = {{ turn.others[1] }}u;
{% endif %}
{% if extended and turn.product != "single" %}
                kind = {{ turn.product | upper }};
{% endif %}
{% else %}
{% set seen.same_x = false %}
{% endif %}
            }
{% endfor %}
        }
        // Uniform: no thread waits here for others.
        if (turn != last) {
{% if extended %}
            // A factor that is computed has the register behind all others.
            var x = r[a][own];
            let z = r[c][own];
            if (kind == DIFFERENCE) {
                r[{{ registers }}u][own] = big_opposite(r[d][own]);
                d = {{ registers }}u;
            }
{% if field.minus_square == 1 %}
            if (kind == SQUARE) {
                let y = r[b][own];
                r[{{ registers }}u][own] = big_add(x, big_opposite(y));
                x = big_add(x, y);
                b = {{ registers }}u;
            }
{% endif %}
            product = big_dot(x, b, own, z, d, own, kind == SUM || kind == DIFFERENCE);
{% elif split %}
            product = shared_product(lane, a, b);
{% else %}
            product = big_mul(r[a][own], b, own);
{% endif %}
        }
    }
    return marks;
}
