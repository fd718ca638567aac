// A limb has three bits above its {{ form.bits }}: with B = 2^{{ form.bits }} limbs are at most B + 7 when settled, and below 3 B + 24, 5 B + 40 and 7 B + 56
// one, two and three stages later.

{% set limbs = field.limbs %}
{% set part = limbs // 3 %}
{% set columns = limbs + part - 1 %}
{% set one = form.digits[0].value == 1 %}
// The value of a w mod r, below 4 r + r / 2^20 and with limbs below B, for a below 63 r with limbs below 7 B + 56. Each third of a is
// multiplied by a multiple of w, so that the product is only a third longer than r. Montgomery's reduction (1985) takes that away:
//
//     a = a0 + a1 2^{{ form.part_bits }} + a2 2^{{ 2 * form.part_bits }}                   a0, a1 < (1 + 2^-26) 2^{{ form.part_bits }}, since limbs {{ part - 1 }} and {{ 2 * part - 1 }} are cut to B; a2 < 2^{{ form.part_bits }}
//     t = a0 first + a1 second + a2 third       the class of a w 2^{{ form.part_bits }}; t < (3 + 2^-25) 2^{{ form.part_bits }} r
//     (t + m r) / 2^{{ form.part_bits }}                         m = -t / r mod 2^{{ form.part_bits }}, found limb by limb, each from 1 to B
//
// A column has at most {{ limbs }} products of two limbs, of which {{ part }} are of limbs of a that are cut to B or the highest, below 2^{{ form.bits }} too; {{ part }} of a limb
// of m and a digit of r; and a carry. It is below {{ limbs - part }} (7 B + 63) B + 2 * {{ part }} B^2 + 2^36 < 49 B^2 < 2^64. For a digit -2^k of r, with n = B - m, -2^k m is 2^k n and -2^k in the next
// column, where the next digit times m is not less. If the lowest digit is 1, its product carries 1 more than t - n.
//
// All multiples are done with limb by limb, so that registers become free as columns need them: 64 a thread instead of 70.
fn product(a: Lazy, w: Factor) -> Lazy {
{% for i in range(limbs) %}
{% set carry = "(a[" ~ (i - 1) ~ "] >> " ~ form.bits ~ "u)" %}
    let a{{ i }} = u64({% if i % part == part - 1 and i + 1 < limbs %}a[{{ i }}] & MASK{% else %}a[{{ i }}]{% if i % part == 0 and i > 0 %} + {{ carry }}{% endif %}{% endif %});
{% endfor %}
{% for k in range(columns) %}
    var t{{ k }} = 0lu;
{% endfor %}
{% for j in range(limbs) %}
{% for i in range(limbs) %}
    t{{ i % part + j }} += a{{ i }} * u64(w.{{ ["first", "second", "third"][i // part] }}[{{ j }}]);
{% endfor %}
{% endfor %}
{% for k in range(part) %}
{% if k > 0 %}
    t{{ k }} += (t{{ k - 1 }} >> {{ form.bits }}u){% if one %} + 1lu{% endif %};
{% endif %}
{% if one %}
    let n{{ k }} = u32(t{{ k }}) & MASK;
{% else %}
    let n{{ k }} = (u32(t{{ k }}) * {{ form.inverse }}u) & MASK;
{% endif %}
    let m{{ k }} = MASK + 1u - n{{ k }};
{% for j in range(1 if one else 0, limbs) %}
{% set digit = form.digits[j] %}
{% if digit.power is not none %}
    t{{ k + j }} += (u64({{ "m" if digit.value > 0 else "n" }}{{ k }}) << {{ digit.power }}u){% if digit.taken > 0 %} - {{ digit.taken }}lu{% endif %};
{% elif digit.value != 0 %}
    t{{ k + j }} += u64(m{{ k }}) * {{ digit.value }}lu{% if digit.taken > 0 %} - {{ digit.taken }}lu{% endif %};
{% endif %}
{% endfor %}
{% endfor %}
{% if one %}
    t{{ part }} += 1lu;
{% endif %}
{% for k in range(part, columns) %}
    t{{ k }} += t{{ k - 1 }} >> {{ form.bits }}u;
{% endfor %}
    return Lazy({% for k in range(part, columns) %}u32(t{{ k }}) & MASK, {% endfor %}u32(t{{ columns - 1 }} >> {{ form.bits }}u));
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
