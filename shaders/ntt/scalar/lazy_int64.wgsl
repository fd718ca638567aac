// A limb has three bits above its {{ form.bits }}: with B = 2^{{ form.bits }} limbs are at most B + 7 when settled, below 3 B + 24 a stage later, and
// below 5 B + 40 two stages later.
const SETTLED_EVERY: u32 = 2u;

// A factor w < r of the tables: w 2^{{ form.part_bits }}, w 2^{{ 2 * form.part_bits }} and w 2^{{ 3 * form.part_bits }} mod r. The tables have the limbs in vectors, those of the same kind together.
struct Factor {
    first: Lazy,
    second: Lazy,
    third: Lazy,
}

fn factor(i: u32) -> Factor {
    let a = tables[i];
    let b = tables[params.factors + i];
    let c = second_multiples[i];
    let d = second_multiples[params.factors + i];
    let e = third_multiples[i];
    let f = third_multiples[params.factors + i];
    let highest = tables[2u * params.factors + i];
    return Factor(
        Lazy(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, highest.x),
        Lazy(c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, highest.y),
        Lazy(e.x, e.y, e.z, e.w, f.x, f.y, f.z, f.w, highest.z),
    );
}

{% set limbs = field.limbs %}
{% set part = limbs // 3 %}
{% set one = form.digits[0].value == 1 %}
// The value of a w mod r below 4 r + r / 2^20, with limbs below B, for a below 63 r with limbs below 5 B + 40. Each three limbs of a
// are multiplied by a multiple of w, so that the product is longer than r by three limbs only, which Montgomery's reduction (1985)
// takes away:
//
//     a = a_0 + a_1 2^{{ form.part_bits }} + a_2 2^{{ 2 * form.part_bits }}           a_0, a_1 < (1 + 2^-26) 2^{{ form.part_bits }} once limbs {{ part - 1 }} and {{ 2 * part - 1 }} are below B; a_2 < 2^{{ form.part_bits }}
//     t = a_0 first + a_1 second + a_2 third      = a w 2^{{ form.part_bits }} mod r, below (3 + 2^-25) 2^{{ form.part_bits }} r
//     m r = -t mod 2^{{ form.part_bits }}                            limb by limb, each of m from 1 to B
//     (t + m r) / 2^{{ form.part_bits }}
//
// A column has at most {{ limbs }} products of limbs of a, {{ part }} with digits of r, and a carry: it is below {{ limbs }} (5 B + 46) B + {{ part }} B B + 2^36 < 49 B^2 < 2^64. Where
// a digit of r is -2^k, m = B - n adds 2^k n, and takes 2^k from the next column, to which its next digit adds more.
fn product(a: Lazy, w: Factor) -> Lazy {
{% for i in range(limbs) %}
    let a{{ i }} = u64({% if i % part == 0 and i > 0 %}a[{{ i }}] + (a[{{ i - 1 }}] >> {{ form.bits }}u){% elif i % part == part - 1 and i + 1 < limbs %}a[{{ i }}] & MASK{% else %}a[{{ i }}]{% endif %});
{% endfor %}
{% for k in range(limbs + part - 1) %}
    var t{{ k }} = {{ "0lu" if k == 0 else "t" ~ (k - 1) ~ " >> " ~ form.bits ~ "u" }};
{% for i in range(part) %}
{% if k - i >= 0 and k - i < limbs %}
    t{{ k }} += a{{ i }} * u64(w.first[{{ k - i }}]);
    t{{ k }} += a{{ part + i }} * u64(w.second[{{ k - i }}]);
    t{{ k }} += a{{ 2 * part + i }} * u64(w.third[{{ k - i }}]);
{% endif %}
{% endfor %}
{% set ns = namespace(more=0) %}
{% for c in range(part) %}
{% if k > c and k - c <= limbs %}
{% set before = form.digits[k - c - 1] %}
{% if before.value < 0 %}{% set ns.more = ns.more + before.value %}{% endif %}
{% if k - c == 1 and one %}{% set ns.more = ns.more + 1 %}{% endif %}
{% if k - c < limbs %}
{% set digit = form.digits[k - c] %}
{% if digit.power is not none %}
    t{{ k }} += u64({{ "m" if digit.value > 0 else "n" }}{{ c }}){% if digit.power > 0 %} << {{ digit.power }}u{% endif %};
{% elif digit.value != 0 %}
    t{{ k }} += u64(m{{ c }}) * {{ digit.value }}lu;
{% endif %}
{% endif %}
{% endif %}
{% endfor %}
{% if ns.more > 0 %}
    t{{ k }} += {{ ns.more }}lu;
{% elif ns.more < 0 %}
    t{{ k }} -= {{ -ns.more }}lu;
{% endif %}
{% if k < part %}
    let n{{ k }} = {% if one %}u32(t{{ k }}){% else %}(u32(t{{ k }}) * {{ form.inverse }}u){% endif %} & MASK;
    let m{{ k }} = {{ 2 ** form.bits }}u - n{{ k }};
{% if not one %}
    t{{ k }} += u64(m{{ k }}) * {{ form.digits[0].value }}lu;
{% endif %}
{% endif %}
{% endfor %}
    return Lazy({% for k in range(part, limbs + part - 1) %}u32(t{{ k }}) & MASK, {% endfor %}u32(t{{ limbs + part - 2 }} >> {{ form.bits }}u));
}

// Takes q times a digit of r from t. Powers of two need no multiplication, which takes twice as long as a shift and an addition.
{% macro take(t, q, digit) %}
{% if digit.power is not none %}
    {{ t }} {{ "-" if digit.value > 0 else "+" }}= u64({{ q }}){% if digit.power > 0 %} << {{ digit.power }}u{% endif %};
{% elif digit.value != 0 %}
    {{ t }} += u64(i64(i32({{ q }})) * {{ -digit.value }}li);
{% endif %}
{% endmacro %}
// A value below r + r / 2^7 of the class of a, which is below 63 r; limbs below 2^{{ form.bits }}.
fn reduced(a: Lazy) -> Lazy {
    let q = few_multiples(a);
{% for k in range(limbs) %}
    var t{{ k }} = u64(a[{{ k }}]){% if k > 0 %} + u64(i64(t{{ k - 1 }}) >> {{ form.bits }}u){% endif %};
{{ take("t" ~ k, "q", form.digits[k]) }}
{% endfor %}
    return Lazy({% for k in range(limbs) %}u32(t{{ k }}) & MASK, {% endfor %});
}
