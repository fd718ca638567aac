// Each limb of 30 bits is processed as two halves of 15 bits, the low one first, whose products fit 32 bits.
{% set halves = 2 * field.limbs %}
{% from "factors.wgsl" import declaration, limb_of_b %}
{% from "limb15.wgsl" import half, half_of_p, divide_row, carry_row %}

{% if field.degree == 2 %}
{% include "big_dot_portable.wgsl" %}
{% else %}
// a b / R, below p + a b / R: Montgomery's multiplication (1985), with one row per half limb of b
// and columns of 32 bits. A row adds two products of 15-bit numbers to a column, so that two
// rows on a carried column reach at most 4 (2^15 - 1)^2 + 2^17 < 2^32.
//
// All rows unrolled would not fit the instruction caches. So the number of iterations depends on a
// parameter, and no compiler can unroll the loop. `params.group_count` is at least 1, so `rows` is the
// number of limbs.
{{ declaration(false, kept) }} {
{% if kept != "all" %}
    var limbs = b;
{% endif %}
{% for j in range(halves) %}
    let a{{ j }} = {{ half("a", j) }};
    var t{{ j }} = 0u;
{% endfor %}
    let rows = {{ field.limbs }}u * min(params.group_count, 1u);
    for (var i = 0u; i < rows; i++) {
        let limb = {{ limb_of_b(kept) }};
{% for y in ["limb & 0x7fffu", "limb >> 15u"] %}
        {
            let y = {{ y }};
{% for j in range(halves) %}
            t{{ j }} += a{{ j }} * y;
{% endfor %}
{{ divide_row(field) }}
        }
{% endfor %}
{{ carry_row(field) }}
    }
    return Big({% for j in range(field.limbs) %}t{{ 2 * j }} | (t{{ 2 * j + 1 }} << 15u), {% endfor %});
}

{% endif %}
{% include "big_combine_portable.wgsl" %}
