{% set limbs = field.limbs %}
{% set low = (limbs + 1) // 2 %}
{% set high = limbs - low %}
// a b / 2^{{ form.bits * limbs }}, for b below r with limbs below 2^{{ form.bits }}: Karatsuba's multiplication (1962), as in big_int64.wgsl,
// then Montgomery's reduction (1985) with one row for each limb. With limbs of a below 2^31 their differences fit 32 bits
// with a sign. A column ends below {{ limbs }} (2^{{ 31 + form.bits }} + 2^{{ 2 * form.bits }}) + 2^36 < 2^64, though it may wrap before the product is complete. So no
// column is carried before the end.
fn product(a: Lazy, b: Lazy) -> Lazy {
{% include "big_columns_int64.wgsl" %}
{% for i in range(limbs) %}
    {
{% if form.r[0] == 1 %}
        // -1/r is -1 modulo 2^{{ form.bits }}.
        let m = u64((0u - u32(t{{ i }})) & MASK);
        t{{ i + 1 }} += m * {{ form.r[1] }}lu + ((t{{ i }} + {{ 2 ** form.bits - 1 }}lu) >> {{ form.bits }}u);
{% else %}
        let m = u64((u32(t{{ i }}) * {{ form.minus_inverse }}u) & MASK);
        t{{ i + 1 }} += m * {{ form.r[1] }}lu + ((t{{ i }} + m * {{ form.r[0] }}lu) >> {{ form.bits }}u);
{% endif %}
{% for j in range(2, limbs) %}
        t{{ i + j }} += m * {{ form.r[j] }}lu;
{% endfor %}
    }
{% endfor %}
{% for k in range(limbs, 2 * limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> {{ form.bits }}u;
{% endfor %}
    return Lazy({% for k in range(limbs, 2 * limbs - 1) %}u32(t{{ k }}) & MASK, {% endfor %}u32(t{{ 2 * limbs - 1 }}));
}
