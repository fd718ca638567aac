{% set halves = 2 * field.limbs %}
{% from "factors.wgsl" import declaration, limb_of_b, limb_of_d %}
{% from "limb15.wgsl" import half, divide_row, carry_row %}
// (a b + c d) / R, or a b / R unless `is_sum`; below p more than that. A row of half limbs adds three products of 15-bit
// numbers to a column, which is then carried: at most 3 (2^15 - 1)^2 + 2^18 < 2^32. The loop is that of big_mul.
{{ declaration(true, kept) }} {
{% if kept != "all" %}
    var limbs = b;
    var others = d;
{% endif %}
{% for j in range(halves) %}
    let a{{ j }} = {{ half("a", j) }};
{% if not few_registers %}
    let c{{ j }} = {{ half("c", j) }};
{% endif %}
    var t{{ j }} = 0u;
{% endfor %}
    let rows = {{ field.limbs }}u * min(params.group_count, 1u);
    for (var i = 0u; i < rows; i++) {
        let limb = {{ limb_of_b(kept) }};
        let other = select(0u, {{ limb_of_d(kept) }}, is_sum);
{% for bits in ["& 0x7fffu", ">> 15u"] %}
        {
            let y = limb {{ bits }};
            let z = other {{ bits }};
{% for j in range(halves) %}
            t{{ j }} += a{{ j }} * y + {% if few_registers %}{{ half('c', j) }}{% else %}c{{ j }}{% endif %} * z;
{% endfor %}
{{ divide_row(field) }}
{{ carry_row(field) }}
        }
{% endfor %}
    }
    return Big({% for j in range(field.limbs) %}t{{ 2 * j }} | (t{{ 2 * j + 1 }} << 15u), {% endfor %});
}

