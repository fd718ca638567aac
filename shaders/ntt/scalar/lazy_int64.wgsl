// A factor of the tables, w < r, with floor(w R / r), R = 2^{{ form.bits * field.limbs }}: Shoup's form, as in shoup32.wgsl.
struct Factor {
    value: Lazy,
    quotient: Lazy,
}

// A factor as the tables hold it. Of the quotient they have the lowest 256 bits.
struct Entry {
    low: vec4<u32>,
    high: vec4<u32>,
    quotient_low: vec4<u32>,
    quotient_high: vec4<u32>,
}

fn entry(i: u32) -> Entry {
    return Entry(tables[2u * i], tables[2u * i + 1u], quotients[2u * i], quotients[2u * i + 1u]);
}

// The quotient is w 2^{{ form.bits * field.limbs }} / r, rounded down. The estimate is its bits from 2^248 on, up to 2 too few, by the highest 16
// bits of w. The table has the lowest eight of these bits, so that rounding gives the bits above them, those from 2^256 on.
fn factor_of(entry: Entry) -> Factor {
    let value = lazy_of(entry.low, entry.high);
    var quotient = lazy_of(entry.quotient_low, entry.quotient_high);
    let top = value[{{ field.limbs - 1 }}] >> {{ form.low_of_top }}u;
    let estimate = (top * {{ form.top_factor }}u) >> {{ form.top_factor_shift }}u;
    let above = (estimate + 128u - (entry.quotient_high.w >> 24u)) >> 8u;
    quotient[{{ field.limbs - 1 }}] |= above << {{ 256 - form.bits * (field.limbs - 1) }}u;
    return Factor(value, quotient);
}

{% set limbs = field.limbs %}
{% set lowest = limbs - 2 %}
// a w mod r as a value below 3 r with limbs below 2^{{ form.bits }}, for a below R with limbs below 2^31 (Shoup; Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014):
//
//     q = floor(a quotient / R), less what the columns below {{ lowest }} add      at most 3 less than a w / r
//     a w - q r                                                    from its lowest {{ limbs }} columns: it is below R
//
// What the columns left out would add to q is below {{ lowest }} 2^{{ 32 + form.bits * lowest }} / R < 1. A column of a w or of a quotient is below
// {{ limbs }} 2^{{ 31 + form.bits }}, one of q r below {{ limbs }} 2^{{ 2 * form.bits }} < 2^62. The columns of a w - q r begin with 2^62, of which the carry is taken from the next
// one; so they stay positive, and all that is added together is 2^{{ 62 + form.bits * (limbs - 1) }}, a multiple of R.
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
    {
        let q = {% if i + 1 < limbs %}u32(u{{ limbs + i }}) & MASK{% else %}u32(u{{ 2 * limbs - 2 }} >> {{ form.bits }}u){% endif %};
{% for j in range(limbs - i) %}
{% if form.r[j] == 1 %}
        t{{ i + j }} -= u64(q);
{% else %}
        t{{ i + j }} += u64(i64(i32(q)) * -{{ form.r[j] }}li);
{% endif %}
{% endfor %}
    }
{% endfor %}
{% for k in range(limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> {{ form.bits }}u;
{% endfor %}
    return Lazy({% for k in range(limbs) %}u32(t{{ k }}) & MASK, {% endfor %});
}
