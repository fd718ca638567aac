// Scalars within a pass. A value x is x 2^256 mod r, plus a multiple of r, in limbs of {{ form.bits }} bits, least significant
// first. A limb has 32 bits, so that sums and differences need no carries:
//
//     settled     limbs at most 2^{{ form.bits }} + 7
//     a product   below 4 r + r / 2^20, limbs below 2^{{ form.bits }}
//     x +- y      for y a product; limbs exceed those of x by less than 2^{{ form.bits + 1 }} + 16
//
// There is room for that in {{ form.settled_every }} stages after x is settled.

alias Lazy = array<u32, {{ field.limbs }}>;

const MASK: u32 = {{ 2 ** form.bits - 1 }}u;

// The same value with settled limbs.
fn settled(a: Lazy) -> Lazy {
    return Lazy(
        a[0] & MASK,
{% for k in range(1, field.limbs - 1) %}
        (a[{{ k }}] & MASK) + (a[{{ k - 1 }}] >> {{ form.bits }}u),
{% endfor %}
        a[{{ field.limbs - 1 }}] + (a[{{ field.limbs - 2 }}] >> {{ form.bits }}u),
    );
}

fn sum(a: Lazy, b: Lazy) -> Lazy {
    return Lazy({% for k in range(field.limbs) %}a[{{ k }}] + b[{{ k }}], {% endfor %});
}

// a - b + {{ cover_multiple }} r, for b below 4 r + r / 2^20 with limbs below 2^{{ form.bits }}. No limb of this multiple of r is below one of b.
fn difference(a: Lazy, b: Lazy) -> Lazy {
    return Lazy({% for limb in form.cover %}a[{{ loop.index0 }}] + {{ limb }}u - b[{{ loop.index0 }}], {% endfor %});
}

// floor(a / r) or less, by at most 1 + 2^-7, for a below 63 r:
// floor(floor(a / 2^{{ field.bits - 10 }}) floor(2^{{ field.bits + 15 }} / r) / 2^25). Of a it takes the two highest limbs.
fn few_multiples(a: Lazy) -> u32 {
    let top = a[{{ field.limbs - 1 }}] + (a[{{ field.limbs - 2 }}] >> {{ form.bits }}u);
    return ((top >> {{ form.top_shift }}u) * {{ quotient_factor }}u) >> 25u;
}

// a mod r, for a below 2 r with limbs below 2^{{ form.bits }}.
fn canonical(a: Lazy) -> Lazy {
    var d = a;
    var borrow = 0u;
{% for limb in form.r %}
    d[{{ loop.index0 }}] -= {{ limb }}u + borrow;
    borrow = d[{{ loop.index0 }}] >> 31u;
    d[{{ loop.index0 }}] &= MASK;
{% endfor %}
    if (borrow == 1u) {
        d = a;
    }
    return d;
}

// The integer of eight words. Shifts of 64 bits take longer here: where a driver reads a zero past the end of a buffer, it extends each word
// to 64 bits in both cases.
fn lazy_of(low: vec4<u32>, high: vec4<u32>) -> Lazy {
{% set words = ["low.x", "low.y", "low.z", "low.w", "high.x", "high.y", "high.z", "high.w"] %}
    return Lazy(
{% for limb in range(field.limbs) %}
{% set word = form.bits * limb // 32 %}
{% set shift = form.bits * limb % 32 %}
{% if shift + form.bits > 32 and word + 1 < field.words %}
        ((({{ words[word] }} >> {{ shift }}u) | ({{ words[word + 1] }} << {{ 32 - shift }}u)) & MASK),
{% else %}
        (({{ words[word] }} >> {{ shift }}u) & MASK),
{% endif %}
{% endfor %}
    );
}
{% macro word_of(word) %}
{%- set limb = 32 * word // form.bits %}
{%- set shift = 32 * word % form.bits -%}
(a[{{ limb }}] >> {{ shift }}u){% if limb + 1 < field.limbs %} | (a[{{ limb + 1 }}] << {{ form.bits - shift }}u){% endif %}{% if shift + 32 > 2 * form.bits and limb + 2 < field.limbs %} | (a[{{ limb + 2 }}] << {{ 2 * form.bits - shift }}u){% endif %}
{%- endmacro %}

// Words 0 to 3 of a value below 2^256 with limbs below 2^{{ form.bits }}.
fn low_words(a: Lazy) -> vec4<u32> {
    return vec4({% for word in range(4) %}{{ word_of(word) }}, {% endfor %});
}

// Words 4 to 7.
fn high_words(a: Lazy) -> vec4<u32> {
    return vec4({% for word in range(4, 8) %}{{ word_of(word) }}, {% endfor %});
}

// A factor w < r of the tables: w 2^{{ form.part_bits }}, w 2^{{ 2 * form.part_bits }} and w 2^{{ 3 * form.part_bits }} mod r; and a zero, of which no compiler knows.
struct Factor {
    first: Lazy,
    second: Lazy,
    third: Lazy,
    zero: u32,
}

// The tables have limbs 0 to 3 of all factors, then limbs 4 to 7, and the first one then limb 8 of all three and a zero.
fn factor(i: u32) -> Factor {
    let a = tables[i];
    let b = tables[params.factors + i];
    let c = second_tables[i];
    let d = second_tables[params.factors + i];
    let e = third_tables[i];
    let f = third_tables[params.factors + i];
    let highest = tables[2u * params.factors + i];
    return Factor(
        Lazy(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, highest.x),
        Lazy(c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, highest.y),
        Lazy(e.x, e.y, e.z, e.w, f.x, f.y, f.z, f.w, highest.z),
        highest.w,
    );
}

{% if int64 %}
{% include "ntt/scalar/lazy_int64.wgsl" %}
{% else %}
{% include "ntt/scalar/lazy_portable.wgsl" %}
{% endif %}
