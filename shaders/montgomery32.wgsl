// Montgomery's reduction with R = 2^32 (Montgomery 1985), signed form: t - m p is divisible
// by R for m = t p^-1 mod R.
//
// For any word x and y < p, the high halves of x y and of m p are both below p. Their difference h
// is between -p and p, so the smaller of h and h + p, as unsigned words, is the result in [0, p).
{% if int64 %}
fn montgomery(x: u32, y: u32) -> u32 {
    let t = u64(x) * u64(y);
    let m = u32(t) * P_INVERSE;
    let h = u32(t >> 32u) - u32((u64(m) * u64(P)) >> 32u);
    return min(h, h + P);
}
{% elif by_halves %}
// Reduces by 2^16, half of R, at a time: p = 1 + 2^16 k, so that m is the low half of t itself. The high
// halves of y and p are below 2^15, so the terms added and those subtracted in s and h are below 2^31.
fn montgomery(x: u32, y: u32) -> u32 {
    let x0 = x & 0xffffu;
    let x1 = x >> 16u;
    let y0 = y & 0xffffu;
    let y1 = y >> 16u;
    let a = x0 * y0;
    let s = x0 * y1 + (a >> 16u) - (a & 0xffffu) * (P >> 16u);
    let b = x1 * y0 + (s & 0xffffu);
    let h = x1 * y1 + u32(i32(s) >> 16u) + (b >> 16u) - (b & 0xffffu) * (P >> 16u);
    return min(h, h + P);
}
{% else %}
fn montgomery(x: u32, y: u32) -> u32 {
    let m = x * y * P_INVERSE;
    let h = mul_high(x, y) - mul_high(m, P);
    return min(h, h + P);
}
{% endif %}
