// Arithmetic modulo p, one reduction of four behind the same two names:
//
//   mul_const(x, c)  x times a constant that the host prepared as a pair of words;
//   mul_var(x, y)    x times y for y < p, in Montgomery's case divided by R = 2^32, which
//                    the host makes up for.
//
// With centred quotients mul_fixed stands for mul_const where the constant is part of the text.
//
// Which x they take and how far their result is reduced is stated at each, and told to the
// generator of the butterflies by src/ntt/gpu/reduction.rs.

const P: u32 = {{ p }}u;
const P_INVERSE: u32 = {{ p_inverse }}u;

{% include "word.wgsl" %}
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
