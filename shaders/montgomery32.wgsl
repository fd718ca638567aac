// Montgomery's reduction with R = 2^32 (Montgomery 1985), signed form: t - m p is divisible
// by R for m = t p^-1 mod R.
//
// x any word, y < p: the high halves of x y and of m p are both below p, so their
// difference is above -p, and the smaller of it and itself plus p, as unsigned words, is
// the result in [0, p).
{% if int64 %}
fn montgomery(x: u32, y: u32) -> u32 {
    let t = u64(x) * u64(y);
    let m = u32(t) * P_INVERSE;
    let h = u32(t >> 32u) - u32((u64(m) * u64(P)) >> 32u);
    return min(h, h + P);
}
{% else %}
fn montgomery(x: u32, y: u32) -> u32 {
    let m = x * y * P_INVERSE;
    let h = mul_high(x, y) - mul_high(m, P);
    return min(h, h + P);
}
{% endif %}
