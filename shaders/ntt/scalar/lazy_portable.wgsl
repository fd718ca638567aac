// a b / 2^{{ form.bits * field.limbs }}, for b below r with limbs below 2^{{ form.bits }}. The multiplication takes limbs below 2^{{ form.bits }}.
fn product(a: Lazy, b: Lazy) -> Lazy {
    var carried: Lazy;
    var t = 0u;
{% for k in range(field.limbs) %}
    t += a[{{ k }}];
    carried[{{ k }}] = t & MASK;
    t >>= {{ form.bits }}u;
{% endfor %}
    return big_mul(carried, b);
}
