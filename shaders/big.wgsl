// Arithmetic in a field of {{ field.bits }} bits. An element x is stored as an integer congruent
// to x R mod p, with R = 2^{{ 30 * field.limbs }}, in {{ field.limbs }} limbs of 30 bits, least
// significant first. Bounds such as "below k p" refer to that integer. If no bound is stated, an input
// may be any integer that fits the limbs.

alias Big = array<u32, {{ field.limbs }}>;

const LIMB_MASK: u32 = 0x3fffffffu;

{% if int64 %}
{% include "big_int64.wgsl" %}
{% else %}
{% include "big_portable.wgsl" %}
{% endif %}

const BIG_ONE = Big({% for limb in field.one %}{{ limb }}u, {% endfor %});
const BIG_ZERO = Big();

// A sum of two limbs and a carry fits 32 bits, with another limb subtracted from it a sign as well.

// a + b.
fn big_add(a: Big, b: Big) -> Big {
    var out: Big;
    var column = 0u;
{% for limb in field.p %}
    column += a[{{ loop.index0 }}] + b[{{ loop.index0 }}];
    out[{{ loop.index0 }}] = column & LIMB_MASK;
    column = column >> 30u;
{% endfor %}
    return out;
}

{% for name, multiple, limbs in [("big_sub", "p", field.p), ("big_sub_2p", "2 p", field.p_twice)] %}
// a - b + {{ multiple }}, for b at most {{ multiple }}.
fn {{ name }}(a: Big, b: Big) -> Big {
    var out: Big;
    var column = 0;
{% for limb in limbs %}
    column += {{ limb }} + i32(a[{{ loop.index0 }}]) - i32(b[{{ loop.index0 }}]);
    out[{{ loop.index0 }}] = u32(column) & LIMB_MASK;
    column = column >> 30u;
{% endfor %}
    return out;
}

{% endfor %}
// p - a, for a at most p.
fn big_neg(a: Big) -> Big {
    return big_sub(BIG_ZERO, a);
}

// `then` if `condition`, else `otherwise`.
fn big_select(otherwise: Big, then: Big, condition: bool) -> Big {
    var r = otherwise;
    if (condition) {
        r = then;
    }
    return r;
}

// True if any limb is not 0.
fn big_has_limbs(a: Big) -> bool {
    return ({% for limb in range(field.limbs) %}a[{{ limb }}]{{ " | " if not loop.last }}{% endfor %}) != 0u;
}

// True if a, which is below 2 p, is 0 modulo p, that is 0 or p.
fn big_is_zero(a: Big) -> bool {
    var zero = 0u;
    var p = 0u;
{% for limb in field.p %}
    zero |= a[{{ loop.index0 }}];
    p |= a[{{ loop.index0 }}] ^ {{ limb }}u;
{% endfor %}
    return zero == 0u || p == 0u;
}

{% for name, multiple, limbs in [("p", "p", field.p), ("2p", "2 p", field.p_twice)] %}
// a - {{ multiple }} if that is not negative, otherwise a.
fn big_subtract_{{ name }}(a: Big) -> Big {
    var d = a;
    var borrow = 0u;
{% for limb in limbs %}
    d[{{ loop.index0 }}] -= {{ limb }}u + borrow;
    borrow = d[{{ loop.index0 }}] >> 31u;
    d[{{ loop.index0 }}] &= LIMB_MASK;
{% endfor %}
    return big_select(d, a, borrow == 1u);
}
{% endfor %}

// a mod p, for a below 2 p.
fn big_canonical(a: Big) -> Big {
    return big_subtract_p(a);
}

// a mod p, for a below 4 p.
fn big_canonical_4(a: Big) -> Big {
    return big_subtract_p(big_subtract_2p(a));
}

// a mod p, for a below 6 p.
fn big_canonical_6(a: Big) -> Big {
    return big_canonical_4(big_subtract_2p(a));
}

// The low word of `high` and `low` side by side, shifted right by 1 to 31 bits.
fn joined(high: u32, low: u32, shift: u32) -> u32 {
{% if int64 %}
    return u32(((u64(high) << 32u) | u64(low)) >> shift);
{% else %}
    return (low >> shift) | (high << (32u - shift));
{% endif %}
}

// In memory an element is a little-endian integer of 32-bit words: {{ field.words }} words if it is canonical
// (below p), {{ field.lazy_words }} words if it is lazy (below 8 p).
//
// Types of the same array length are aliases of each other. Otherwise the generated HLSL would define the
// array's constructor twice.
{% for name, words in [("canonical", field.words), ("lazy", field.lazy_words)] %}
alias Words_{{ name }} = {% if words == field.limbs %}Big{% elif name == "lazy" and words == field.words %}Words_canonical{% else %}array<u32, {{ words }}>{% endif %};

fn big_unpack_{{ name }}(w: Words_{{ name }}) -> Big {
    var a: Big;
{% for limb in range(field.limbs) %}
{% set word = 30 * limb // 32 %}
{% set shift = 30 * limb % 32 %}
{% if word < words %}
{% if shift > 2 and word + 1 < words %}
    a[{{ limb }}] = joined(w[{{ word + 1 }}], w[{{ word }}], {{ shift }}u) & LIMB_MASK;
{% else %}
    a[{{ limb }}] = (w[{{ word }}] >> {{ shift }}u) & LIMB_MASK;
{% endif %}
{% endif %}
{% endfor %}
    return a;
}

fn big_pack_{{ name }}(a: Big) -> Words_{{ name }} {
    var w: Words_{{ name }};
{% for word in range(words) %}
{% set limb = 32 * word // 30 %}
{% set shift = 32 * word % 30 %}
    w[{{ word }}] = (a[{{ limb }}] >> {{ shift }}u){% if limb + 1 < field.limbs %} | (a[{{ limb + 1 }}] << {{ 30 - shift }}u){% endif %};
{% endfor %}
    return w;
}
{% endfor %}
{% if field.degree == 2 %}
{% include "extension.wgsl" %}
{% endif %}
