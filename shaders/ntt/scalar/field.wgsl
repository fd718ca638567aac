// Scalars in memory and in registers. A scalar x lies in memory as x 2^256 mod r in eight words, the host's form; values
// within a transform may be any integer below 2^256 in the same class. Table entries are x 2^270 mod r, the
// kernels' form, so that the product with an entry keeps the host's form.

{% include "big.wgsl" %}

// The scalar of two vectors of four words.
fn scalar_of(low: vec4<u32>, high: vec4<u32>) -> Big {
    return big_unpack_canonical(Words_canonical(low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w));
}

// Such a scalar times 2^{{ more_bits }}, as an integer: of two scalars in the host's form, the product with one of them
// taken like this is in the host's form. It is below 2^270.
fn raised_scalar_of(low: vec4<u32>, high: vec4<u32>) -> Big {
    let w = Words_canonical(low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
    var a: Big;
{% for limb in range(field.limbs) %}
{% if limb == 0 %}
    a[0] = (w[0] << {{ more_bits }}u) & LIMB_MASK;
{% else %}
{% set bit = 30 * limb - more_bits %}
{% set word = bit // 32 %}
{% set shift = bit % 32 %}
    a[{{ limb }}] = ((w[{{ word }}] >> {{ shift }}u){% if shift > 2 and word + 1 < field.words %} | (w[{{ word + 1 }}] << {{ 32 - shift }}u){% endif %}) & LIMB_MASK;
{% endif %}
{% endfor %}
    return a;
}

// a + b, which must fit the limbs.
fn sum(a: Big, b: Big) -> Big {
    var out: Big;
    var t = 0u;
{% for i in range(field.limbs) %}
    t += a[{{ i }}] + b[{{ i }}];
    out[{{ i }}] = t & LIMB_MASK;
    t >>= 30u;
{% endfor %}
    return out;
}

{% for name, multiple in [("2", field.p_twice), ("4", p_four)] %}
// a - b + {{ name }} r, for b at most {{ name }} r.
fn difference_{{ name }}(a: Big, b: Big) -> Big {
    var out: Big;
    var t = 0;
{% for limb in multiple %}
    t += i32(a[{{ loop.index0 }}]) - i32(b[{{ loop.index0 }}]) + {{ limb }};
    out[{{ loop.index0 }}] = u32(t) & LIMB_MASK;
    t = t >> 30u;
{% endfor %}
    return out;
}
{% endfor %}

// a - 4 r if that is not negative, otherwise a.
fn subtract_4r(a: Big) -> Big {
    var d = a;
    var borrow = 0u;
{% for limb in p_four %}
    d[{{ loop.index0 }}] -= {{ limb }}u + borrow;
    borrow = d[{{ loop.index0 }}] >> 31u;
    d[{{ loop.index0 }}] &= LIMB_MASK;
{% endfor %}
    return big_select(d, a, borrow == 1u);
}

// A value below 2 r of the class of a, which is below 4 r.
fn reduce_4(a: Big) -> Big {
    return big_subtract_2p(a);
}

// A value below 2 r of the class of a, which is below 8 r.
fn reduce_8(a: Big) -> Big {
    return big_subtract_2p(subtract_4r(a));
}
