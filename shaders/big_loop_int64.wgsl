{% set limbs = field.limbs %}
{% set is_dot = field.degree == 2 %}
{% from "factors.wgsl" import declaration, limb_of_b, limb_of_d %}
{% if is_dot %}
// (a b + c d) / R, or a b / R unless `is_sum`; below p more than that.
{% else %}
// a b / R, below p + a b / R.
{% endif %}
// Montgomery's multiplication (1985), as in big_rows_int64.wgsl, with the rows as a loop: {{ limbs }} columns of 64 bits move down by one in
// each row. The number of iterations depends on a parameter, so that no compiler unrolls the loop: Intel's takes a tenth of the time
// for it, and runs about as many instructions (benches/notebook/vendors.md).
//
// A row adds {{ 3 if is_dot else 2 }} products of limbs to a column, each below 2^60. A column is carried when it has moved to {{ "one of two places" if is_dot else "the middle" }}, so that it holds
// the products of at most {{ 5 if is_dot else 7 }} rows, for at most 13 limbs, and carries below 2^36: less than 2^64.
{{ declaration(is_dot, kept) }} {
{% if kept != "all" %}
    var limbs = b;
{% if is_dot %}
    var others = d;
{% endif %}
{% endif %}
{% for k in range(limbs) %}
    var t{{ k }} = 0lu;
{% endfor %}
    let rows = {{ limbs }}u * min(params.group_count, 1u);
    for (var i = 0u; i < rows; i++) {
        let y = u64({{ limb_of_b(kept) }});
{% if is_dot %}
        let z = u64(select(0u, {{ limb_of_d(kept) }}, is_sum));
{% endif %}
{% for j in range(limbs) %}
        t{{ j }} += u64(a[{{ j }}]) * y{% if is_dot %} + u64(c[{{ j }}]) * z{% endif %};
{% endfor %}
        let m = u64((u32(t0) * {{ field.minus_inverse }}u) & LIMB_MASK);
        t0 = t1 + m * {{ field.p[1] }}lu + ((t0 + m * {{ field.p[0] }}lu) >> 30u);
{% for j in range(2, limbs) %}
        t{{ j - 1 }} = t{{ j }} + m * {{ field.p[j] }}lu;
{% endfor %}
        t{{ limbs - 1 }} = 0lu;
{% for k in ([limbs // 3, 2 * limbs // 3] if is_dot else [limbs // 2]) %}
        t{{ k + 1 }} += t{{ k }} >> 30u;
        t{{ k }} &= 0x3ffffffflu;
{% endfor %}
    }
{% for k in range(limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> 30u;
{% endfor %}
    return Big({% for k in range(limbs) %}u32(t{{ k }}){% if k < limbs - 1 %} & LIMB_MASK{% endif %}, {% endfor %});
}
