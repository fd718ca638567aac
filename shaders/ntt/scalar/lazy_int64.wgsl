{% set limbs = field.limbs %}
// a b / 2^{{ form.bits * limbs }}, for b below r with limbs below 2^{{ form.bits }}: Montgomery's multiplication (1985), a row for each
// limb of b. Columns of 64 bits are never carried in between: with limbs of a below 2^31, a column ends
// below {{ limbs }} (2^{{ 31 + form.bits }} + 2^{{ 2 * form.bits }}) + 2^36 < 2^64. All products of limbs are taken, since the additions of Karatsuba's
// method would cost more than the products that it saves.
fn product(a: Lazy, b: Lazy) -> Lazy {
{% for k in range(limbs) %}
    var t{{ k }} = 0lu;
{% endfor %}
{% for i in range(limbs) %}
    {
        let y = u64(b[{{ i }}]);
{% for j in range(limbs) %}
        t{{ j }} += u64(a[{{ j }}]) * y;
{% endfor %}
{% if form.r[0] == 1 %}
        // r is 1 modulo 2^{{ form.bits }}.
        let m = u64((0u - u32(t0)) & MASK);
        t0 = t1 + m * {{ form.r[1] }}lu + ((t0 + {{ 2 ** form.bits - 1 }}lu) >> {{ form.bits }}u);
{% else %}
        let m = u64((u32(t0) * {{ form.minus_inverse }}u) & MASK);
        t0 = t1 + m * {{ form.r[1] }}lu + ((t0 + m * {{ form.r[0] }}lu) >> {{ form.bits }}u);
{% endif %}
{% for j in range(2, limbs) %}
        t{{ j - 1 }} = t{{ j }} + m * {{ form.r[j] }}lu;
{% endfor %}
        t{{ limbs - 1 }} = 0lu;
    }
{% endfor %}
{% for k in range(limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> {{ form.bits }}u;
{% endfor %}
    return Lazy({% for k in range(limbs - 1) %}u32(t{{ k }}) & MASK, {% endfor %}u32(t{{ limbs - 1 }}));
}
