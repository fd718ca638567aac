// Scalars in memory and in registers. A scalar x lies in memory as x 2^256 mod r in eight words, the host's form. Table
// entries are x 2^270 mod r, the kernels' form, so that the product with an entry keeps the host's form.

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
