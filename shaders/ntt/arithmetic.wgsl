// Arithmetic modulo p by one of four reductions, all with the same two functions:
//
//   mul_const(x, c)  x times a constant that the host prepared as a pair of words;
//   mul_var(x, y)    x times y for y < p; Montgomery's reduction also divides by R = 2^32,
//                    which the host compensates for.
//
// With centred quotients mul_fixed replaces mul_const if the constant is part of the text.
//
// Each function states the range of x and of its result; src/ntt/gpu/reduction.rs gives these ranges to the
// generator of the butterflies.

const P: u32 = {{ p }}u;
const P_INVERSE: u32 = {{ p_inverse }}u;

{% include "mulhi32.wgsl" %}
{% if reduction == "shoup" %}
{% include "montgomery32.wgsl" %}
{% include "shoup32.wgsl" %}
{% elif reduction == "montgomery" %}
{% include "montgomery32.wgsl" %}

// Any x, c = (w R mod p, 0): x w in [0, p).
fn mul_const(x: u32, c: vec2<u32>) -> u32 {
    return montgomery(x, c.x);
}

// Any x, y < p: x y / R in [0, p).
fn mul_var(x: u32, y: u32) -> u32 {
    return montgomery(x, y);
}
{% elif reduction == "barrett" %}
{% include "barrett32.wgsl" %}
{% else %}
{% include "plain32.wgsl" %}
{% endif %}
