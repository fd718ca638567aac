{% set limbs = field.limbs %}
{% set is_dot = field.degree == 2 %}
{% from "row30.wgsl" import carry, divide_row, limbs_of %}
{% if is_dot %}
// (a b + c d) / R, or a b / R unless `is_sum`; below p more than that.
{% else %}
// a b / R, below p + a b / R.
{% endif %}
// Montgomery's multiplication (1985), with a row of each product and one of the reduction in turn: so {{ limbs + 1 }} columns
// of 64 bits are alive at a time. A column is carried before a row only if that row could make it exceed 2^64
// (`carries_in_turn` in src/field/big.rs).
fn {{ "big_dot(a: Big, b: Big, c: Big, d: Big, is_sum: bool)" if is_dot else "big_mul(a: Big, b: Big)" }} -> Big {
{% for k in range(2 * limbs) %}
    var t{{ k }} = 0lu;
{% endfor %}
{% for i in range(limbs) %}
{{ carry(field.carries_in_turn[i]) }}
{% for x, y in ([("a", "b[" ~ i ~ "]"), ("c", "select(0u, d[" ~ i ~ "], is_sum)")] if is_dot else [("a", "b[" ~ i ~ "]")]) %}
    {
        let y = u64({{ y }});
{% for j in range(limbs) %}
        t{{ i + j }} += u64({{ x }}[{{ j }}]) * y;
{% endfor %}
    }
{% endfor %}
{{ divide_row(field, i) }}
{% endfor %}
{{ limbs_of(field) }}
}
