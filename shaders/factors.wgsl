{# How a multiplication gets its factors: a b, or a b + c d in an extension. Where registers have numbers in workgroup memory (`kept`
   is "all"), b and d are the registers of these numbers of the invocations at b_lane and d_lane, and their limbs are read there. #}
{% macro declaration(is_dot, kept) %}
{% if kept == "all" %}{{ "fn big_dot(a: Big, b: u32, b_lane: u32, c: Big, d: u32, d_lane: u32, is_sum: bool) -> Big" if is_dot else "fn big_mul(a: Big, b: u32, b_lane: u32) -> Big" }}{% else %}{{ "fn big_dot(a: Big, b: Big, c: Big, d: Big, is_sum: bool) -> Big" if is_dot else "fn big_mul(a: Big, b: Big) -> Big" }}{% endif %}
{% endmacro %}
{# Limb i of b, of d. #}
{% macro limb_of_b(kept) %}{{ "r[b][b_lane][i]" if kept == "all" else "limbs[i]" }}{% endmacro %}
{% macro limb_of_d(kept) %}{{ "r[d][d_lane][i]" if kept == "all" else "others[i]" }}{% endmacro %}
