// Barrett's reduction (Barrett 1986; Handbook of Applied Cryptography, 14.42) in binary.
// For p of k bits and mu = floor(2^(2k) / p), the quotient of z < p^2 is estimated from the
// bits of z from bit k - 1 on; the estimate is at most two too small.

const MU: u32 = {{ mu }}u;

// x, y < p: x y in [0, p).
fn mul_var(x: u32, y: u32) -> u32 {
{% if int64 %}
    let z = u64(x) * u64(y);
    let q = (z >> {{ k - 1 }}u) * u64(MU) >> {{ k + 1 }}u;
    // 3p may exceed 2^32, so the first correction uses 64 bits.
    var r = z - q * u64(P);
    r = min(r, r - u64(P));
    return min(u32(r), u32(r) - P);
{% else %}
    let low = x * y;
    let high = mul_high(x, y);
    let top = (high << {{ 33 - k }}u) | (low >> {{ k - 1 }}u);
{% if k == 31 %}
    let q = mul_high(top, MU);
{% else %}
    let q = (mul_high(top, MU) << {{ 31 - k }}u) | ((top * MU) >> {{ k + 1 }}u);
{% endif %}
    // The remainder is below 3p, which may exceed 2^32; `carry` is its bit 32.
    var r = low - q * P;
    let carry = high - mul_high(q, P) - u32(q * P > low);
    r = select(min(r, r - P), r - P, carry != 0u);
    return min(r, r - P);
{% endif %}
}

// x < p, c = (w, 0): x w in [0, p).
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    return mul_var(x, c.x);
}
