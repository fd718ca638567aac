// Products with a constant w whose quotient w' = floor(w 2^32 / p) is precomputed (Shoup; Harvey,
// "Faster arithmetic for number-theoretic transforms", 2014, section 2): with
// q = floor(x w' / 2^32), x w - q p is in [0, 2p) for every word x.
{% if quotient == "exact" %}

// Any x, c = (w, w'): x w in [0, 2p).
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    return x * c.x - mul_high(x, c.y) * P;
}
{% elif quotient == "sloppy" %}

// Any x, c = (w, w'): x w in [0, 4p). The quotient omits the product of the low halves, which
// makes it at most two too small; 4p < 2^32.
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    let x0 = x & 0xffffu;
    let x1 = x >> 16u;
    let q0 = c.y & 0xffffu;
    let q1 = c.y >> 16u;
    let q = x1 * q1 + ((x1 * q0) >> 16u) + ((x0 * q1) >> 16u);
    return x * c.x - q * P;
}
{% else %}

// x in (-p, p) as a signed word, c = (w, (q1, q0)): x w in [0, p).
//
// w is taken from about (-p/2, p/2). w / p, to the nearest multiple of 2^-32, is q1 2^-16 + q0 2^-32
// with signed halves q1 and q0; likewise x is x1 2^16 + x0. The quotient omits x0 q0 and is rounded, so
// its error is less than 1/4 + 1/4 + 1/2, and x w - q p is in (-p, p).
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    let x0 = i32(x << 16u) >> 16u;
    let x1 = (i32(x) + 0x8000) >> 16u;
    let q0 = i32(c.y << 16u) >> 16u;
    let q1 = i32(c.y) >> 16u;
    let q = x1 * q1 + ((x1 * q0 + x0 * q1 + 0x8000) >> 16u);
    let r = x * c.x - u32(q) * P;
    return min(r, r + P);
}

// x in (-p, p) times a constant in the shader text: x w in [0, p), with one operation less than
// mul_const. x0 is in [0, 2^16), and the contribution of the middle of that range to the quotient is
// part of the constants `middle` and `start` from src/ntt/gpu/reduction.rs, for p < 2^31 - 2^20. The error
// of the quotient has the same bound as above.
fn mul_fixed(x: u32, w: u32, q1: i32, q0: i32, middle: i32, start: u32) -> u32 {
    let x0 = i32(x & 0xffffu);
    let x1 = i32(x) >> 16u;
    let q = x1 * q1 + ((x1 * q0 + (x0 * q1 + middle)) >> 16u);
    let r = (x * w + start) - u32(q) * P;
    return min(r, r + P);
}
{% endif %}

// Any x, y < p: x y / R in [0, p).
fn mul_var(x: u32, y: u32) -> u32 {
    return montgomery(x, y);
}
