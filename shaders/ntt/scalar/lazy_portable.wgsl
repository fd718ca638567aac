// A limb has two bits above its {{ form.bits }}.
const SETTLED_EVERY: u32 = 1u;

// A factor of the tables is w 2^{{ form.bits * field.limbs }} mod r: Montgomery's form (1985).
alias Factor = Big;

fn factor(i: u32) -> Factor {
    return lazy_of(tables[2u * i], tables[2u * i + 1u]);
}

// a b / 2^{{ form.bits * field.limbs }}, below 2 r, for b below r with limbs below 2^{{ form.bits }}. The multiplication takes limbs below 2^{{ form.bits }}.
fn product(a: Lazy, b: Factor) -> Lazy {
    var carried: Lazy;
    var t = 0u;
{% for k in range(field.limbs) %}
    t += a[{{ k }}];
    carried[{{ k }}] = t & MASK;
    t >>= {{ form.bits }}u;
{% endfor %}
    return big_mul(carried, b);
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
