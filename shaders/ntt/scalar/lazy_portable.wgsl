// A factor of the tables is w 2^{{ form.bits * field.limbs }} mod r: Montgomery's form (1985).
alias Factor = Big;

// A factor as the tables hold it.
struct Entry {
    low: vec4<u32>,
    high: vec4<u32>,
}

fn entry(i: u32) -> Entry {
    return Entry(tables[2u * i], tables[2u * i + 1u]);
}

fn factor_of(entry: Entry) -> Factor {
    return lazy_of(entry.low, entry.high);
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
