// Products with a constant of any modulus below 2^31: w has the quotient floor(w 2^32 / m), after Shoup (Harvey, "Faster
// arithmetic for number-theoretic transforms", 2014, section 2).

{% include "mulhi32.wgsl" %}

// Any x, c = (w, quotient): x w in [0, m).
fn times(x: u32, c: vec2<u32>, m: u32) -> u32 {
    let rest = x * c.x - mul_high(x, c.y) * m;
    return min(rest, rest - m);
}

// x, y < m: x + y in [0, m).
fn sum(x: u32, y: u32, m: u32) -> u32 {
    let z = x + y;
    return min(z, z - m);
}

// x, y < m: x - y in [0, m).
fn difference(x: u32, y: u32, m: u32) -> u32 {
    let z = x - y;
    return min(z, z + m);
}
