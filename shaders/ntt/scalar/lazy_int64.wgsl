// A limb has three bits above its {{ form.bits }}: with B = 2^{{ form.bits }} limbs are at most B + 7 when settled, below 3 B + 24 a stage later, and
// below 5 B + 40 two stages later.
const SETTLED_EVERY: u32 = 2u;

// A factor of the tables, w < r, with floor(w R / r), R = 2^{{ form.bits * field.limbs }}: Shoup's form, as in shoup32.wgsl.
struct Factor {
    value: Lazy,
    quotient: Lazy,
}

// The tables have the limbs: twelve words for a value, of which the tenth is the highest limb of the quotient, and eight for the
// others of the quotient.
fn factor(i: u32) -> Factor {
    let a = tables[3u * i];
    let b = tables[3u * i + 1u];
    let c = tables[3u * i + 2u];
    let d = quotients[2u * i];
    let e = quotients[2u * i + 1u];
    return Factor(Lazy(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x), Lazy(d.x, d.y, d.z, d.w, e.x, e.y, e.z, e.w, c.y));
}

{% set limbs = field.limbs %}
{% set lowest = limbs - 2 %}
// Takes q times a digit of r from t. Powers of two need no multiplication, which takes twice as long as a shift and an addition.
{% macro take(t, q, digit) %}
{% if digit.power is not none %}
    {{ t }} {{ "-" if digit.value > 0 else "+" }}= u64({{ q }}){% if digit.power > 0 %} << {{ digit.power }}u{% endif %};
{% elif digit.value != 0 %}
    {{ t }} += u64(i64(i32({{ q }})) * {{ -digit.value }}li);
{% endif %}
{% endmacro %}
// a w mod r as a value below 3 r with limbs below B, for a below R with limbs below 5 B + 40 (Shoup; Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014):
//
//     q = floor(a quotient / R), less what the columns below {{ lowest }} add      at most 3 less than a w / r
//     a w - q r                                                    from its lowest {{ limbs }} columns: it is below R
//
// What the columns left out would add to q is below {{ lowest }} 2^{{ 32 + form.bits * lowest }} / R < 1. A column of the first product is below {{ limbs }} (5 B + 40) B <
// 46 B^2 < 2^64. Those of a w - q r begin with 2^62 = 16 B^2, of which the carry is taken from the next one, so that all that is added
// is 2^{{ 62 + form.bits * (limbs - 1) }}, a multiple of R. Then they take at most {{ limbs }} B^2, so that they stay positive; they add at most {{ limbs - 1 }} (5 B + 40) B and,
// for negative digits of r, {{ limbs - 1 }} B B / 2, so that they stay below 64 B^2 = 2^64. Only of the highest column the lowest {{ form.bits }} bits are enough.
fn product(a: Lazy, factor: Factor) -> Lazy {
{% for k in range(lowest, 2 * limbs - 1) %}
    var u{{ k }} = 0lu;
{% endfor %}
{% for i in range(limbs) %}
    {
        let y = u64(factor.quotient[{{ i }}]);
{% for j in range(limbs) %}
{% if i + j >= lowest %}
        u{{ i + j }} += u64(a[{{ j }}]) * y;
{% endif %}
{% endfor %}
    }
{% endfor %}
{% for k in range(lowest + 1, 2 * limbs - 1) %}
    u{{ k }} += u{{ k - 1 }} >> {{ form.bits }}u;
{% endfor %}
{% for k in range(limbs) %}
    var t{{ k }} = {{ 2 ** 62 if k == 0 else 2 ** 62 - 2 ** (62 - form.bits) }}lu;
{% endfor %}
{% for i in range(limbs) %}
    {
        let y = u64(factor.value[{{ i }}]);
{% for j in range(limbs - i) %}
        t{{ i + j }} += u64(a[{{ j }}]) * y;
{% endfor %}
    }
{% endfor %}
{% for i in range(limbs) %}
    let q{{ i }} = {% if i + 1 < limbs %}u32(u{{ limbs + i }}) & MASK{% else %}u32(u{{ 2 * limbs - 2 }} >> {{ form.bits }}u){% endif %};
{% for j in range(limbs - i) %}
{{ take("t" ~ (i + j), "q" ~ i, form.digits[j]) }}
{% endfor %}
{% endfor %}
{% for k in range(limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> {{ form.bits }}u;
{% endfor %}
    return Lazy({% for k in range(limbs) %}u32(t{{ k }}) & MASK, {% endfor %});
}

// A value below r + r / 2^7 of the class of a, which is below 63 r; limbs below 2^{{ form.bits }}.
fn reduced(a: Lazy) -> Lazy {
    let q = few_multiples(a);
{% for k in range(limbs) %}
    var t{{ k }} = u64(a[{{ k }}]){% if k > 0 %} + u64(i64(t{{ k - 1 }}) >> {{ form.bits }}u){% endif %};
{{ take("t" ~ k, "q", form.digits[k]) }}
{% endfor %}
    return Lazy({% for k in range(limbs) %}u32(t{{ k }}) & MASK, {% endfor %});
}
