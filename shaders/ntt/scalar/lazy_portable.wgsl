{% from "limb15.wgsl" import half, divide_row, carry_row %}
{# Limb i of those from `first` on, of which there are `part`. #}
{% macro limb_of(first, part) %}{% for k in range(1, part) %}select({% endfor %}carried[{{ first }}]{% for k in range(1, part) %}, carried[{{ first + k }}], i == {{ k }}u){% endfor %}{% endmacro %}
{% set part = field.limbs // 3 %}
{% set halves = 2 * field.limbs %}
// The value of a w mod r, below 4 r + r / 2^20 and with limbs below 2^{{ form.bits }}, for a below 63 r. Each third of a is multiplied by a multiple
// of w, so that the product is only a third longer than r. Montgomery's reduction (1985) takes that away, half a limb, 15 bits, in
// each row:
//
//     a = a0 + a1 2^{{ form.part_bits }} + a2 2^{{ 2 * form.part_bits }}
//     t = t + (a0's half) first + (a1's half) second + (a2's half) third, and as many times r that it can be divided by 2^15
//
// A column is carried after each row: a row adds at most four products of two halves and 2^17, and 4 (2^15 - 1)^2 + 2^15 + 2^17 < 2^32. Rows stand one
// after the other: a loop, which reads limbs at an index that changes, keeps them in memory, and a transform takes 25% longer.
fn product(a: Lazy, w: Factor) -> Lazy {
    var carried: Lazy;
    var t = 0u;
{% for k in range(field.limbs) %}
    t += a[{{ k }}];
    carried[{{ k }}] = t & MASK;
    t >>= {{ form.bits }}u;
{% endfor %}
{% if few_registers %}
{% for j in range(halves) %}
    var t{{ j }} = 0u;
{% endfor %}
    // The halves of w are taken in each of these rows, so that no compiler has all of them in registers. The limbs of a are chosen, not
    // indexed.
    let rows = {{ part }}u * min(params.group_count, 1u);
    for (var i = 0u; i < rows; i++) {
        let x = {{ limb_of(0, part) }};
        let y = {{ limb_of(part, part) }};
        let z = {{ limb_of(2 * part, part) }};
{% for bits in ["& 0x7fffu", ">> 15u"] %}
        {
            let u = x {{ bits }};
            let v = y {{ bits }};
            let s = z {{ bits }};
{% for j in range(halves) %}
            t{{ j }} += {{ half("w.first", j) }} * u + {{ half("w.second", j) }} * v + {{ half("w.third", j) }} * s;
{% endfor %}
{{ divide_row(field) }}
{{ carry_row(field) }}
        }
{% endfor %}
    }
{% else %}
{% for j in range(halves) %}
    let first{{ j }} = {{ half("w.first", j) }};
    let second{{ j }} = {{ half("w.second", j) }};
    let third{{ j }} = {{ half("w.third", j) }};
    var t{{ j }} = 0u;
{% endfor %}
{% for i in range(2 * part) %}
    {
        let x = {{ half("carried", i) }};
        let y = {{ half("carried", 2 * part + i) }};
        let z = {{ half("carried", 4 * part + i) }};
{% for j in range(halves) %}
        t{{ j }} += first{{ j }} * x + second{{ j }} * y + third{{ j }} * z;
{% endfor %}
{{ divide_row(field) }}
{{ carry_row(field) }}
    }
{% endfor %}
{% endif %}
    return Lazy({% for j in range(field.limbs) %}t{{ 2 * j }} | (t{{ 2 * j + 1 }} << 15u), {% endfor %});
}

// A value below r + r / 2^7 of the class of a, which is below 63 r; limbs below 2^{{ form.bits }}.
fn reduced(a: Lazy) -> Lazy {
    let q = few_multiples(a);
    var out: Lazy;
    var t = 0;
{% for limb in form.r %}
    t += i32(a[{{ loop.index0 }}] & 0x7fffu) - i32(q * {{ limb % 32768 }}u);
    out[{{ loop.index0 }}] = u32(t) & 0x7fffu;
    t = t >> 15u;
    t += i32(a[{{ loop.index0 }}] >> 15u) - i32(q * {{ limb // 32768 }}u);
    out[{{ loop.index0 }}] |= (u32(t) & {{ 2 ** (form.bits - 15) - 1 }}u) << 15u;
    t = t >> {{ form.bits - 15 }}u;
{% endfor %}
    return out;
}
