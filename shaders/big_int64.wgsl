{% set limbs = field.limbs %}
{% set low = (limbs + 1) // 2 %}
{% set high = limbs - low %}
{% if few_registers %}
{% include "big_loop_int64.wgsl" %}
{% elif compact %}
{% include "big_rows_int64.wgsl" %}
{% elif field.degree == 2 %}
{% include "big_dot_int64.wgsl" %}
{% else %}
// a b / R, below p + a b / R: Karatsuba's multiplication (1962), then Montgomery's reduction (1985)
// with one row per limb. Columns have 64 bits.
//
// With a = a0 + a1 z and b = b0 + b1 z, z = 2^{{ 30 * low }}, the product is
//     a0 b0 + (a0 b0 + a1 b1 + (a1 - a0) (b0 - b1)) z + a1 b1 z^2.
// It takes {{ 2 * low * low + high * high }} products of limbs instead of {{ limbs * limbs }}; these products
// dominate the time. The limbs of the differences are signed. A column ends as the sum of at most
// {{ limbs }} products of limbs, and may wrap before.
//
// Each row of the reduction adds to each of its columns the product of a limb and a limb of p. A column is
// carried before a row only if that row could make it exceed 2^64 (`carries` in src/field/big.rs).
fn big_mul(a: Big, b: Big) -> Big {
{% include "big_columns_int64.wgsl" %}
{% include "big_reduce_int64.wgsl" %}

}

{% endif %}
{% if few_registers %}
{# With columns of 64 bits the compiler for Intel Arc B580 keeps twice as many registers alive. #}
{% include "big_combine_portable.wgsl" %}
{% else %}
// r s + x f + y g + k p, which must lie between 0 and R. The factors s, f, g and k are at most 7 in
// absolute value.
fn big_combine(r: Big, s: i32, x: Big, f: i32, y: Big, g: i32, k: u32) -> Big {
    var out: Big;
    var t = 0li;
{% for limb in field.p %}
    t += i64(r[{{ loop.index0 }}]) * i64(s) + i64(x[{{ loop.index0 }}]) * i64(f) + i64(y[{{ loop.index0 }}]) * i64(g) + i64(k) * {{ limb }}li;
    out[{{ loop.index0 }}] = u32(t) & LIMB_MASK;
    t = t >> 30u;
{% endfor %}
    return out;
}
{% endif %}
