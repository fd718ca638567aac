// Products modulo p by the remainder operator.

// x, y < p: x y in [0, p).
fn mul_var(x: u32, y: u32) -> u32 {
{% if int64 %}
    return u32(u64(x) * u64(y) % u64(P));
{% else %}
    // Without 64-bit integers: long division, one bit at a time. 2 r + 1 < 2 p < 2^32.
    var r = mul_high(x, y) % P;
    let low = x * y;
    for (var bit = 0u; bit < 32u; bit++) {
        r = 2u * r + ((low >> (31u - bit)) & 1u);
        r = min(r, r - P);
    }
    return r;
{% endif %}
}

// x < p, c = (w, 0): x w in [0, p).
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    return mul_var(x, c.x);
}
