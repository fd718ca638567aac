// The inverse of an element by the division steps of Bernstein and Yang ("Fast constant-time gcd
// computation and modular inversion", TCHES 2019, 3), in the variant that starts with delta = 1/2.
// By Wuille's bound, (45907 b + 26313) / 19929 steps suffice for a modulus of b bits.
//
//     f, g = p, a        d, e = 0, R^2
//     repeat: a matrix from {{ step_bits }} division steps on the low bits of f and g
//             apply the matrix to f, g, and modulo p to d, e
//     f = +-1, g = 0     d f = R^2 / a modulo p
//
// The numbers are in signed limbs of {{ step_bits }} bits. For an element x the integer a is x R, and
// R^2 / (x R) = R / x is the stored form of 1 / x.
{% set count = (30 // step_bits) * field.limbs %}
{# Where registers are few, two limbs of 15 bits are in a word. #}
{% set packed = few_registers and not int64 %}
{% set words = field.limbs if packed else count %}
{% macro limb(x, j) %}{% if not packed %}{{ x }}[{{ j }}]{% elif j % 2 == 1 %}({{ x }}[{{ j // 2 }}] >> 15u){% else %}({{ x }}[{{ j // 2 }}] & 0x7fff){% endif %}{% endmacro %}
{% macro put(j, value) %}{% if not packed %}out[{{ j }}] = {{ value }};{% elif j % 2 == 1 %}out[{{ j // 2 }}] |= ({{ value }}) << 15u;{% else %}out[{{ j // 2 }}] = {{ value }};{% endif %}{% endmacro %}
{% set wide = "i64" if int64 else "i32" %}
{% set suffix = "li" if int64 else "i" %}
{% set mask = 1073741823 if int64 else 32767 %}
{% macro piece(limbs, j, int64) %}{% if int64 %}{{ limbs[j] }}{% elif j % 2 == 0 %}{{ limbs[j // 2] % 32768 }}{% else %}{{ limbs[j // 2] // 32768 }}{% endif %}{% endmacro %}

// A number of {{ count }} limbs{{ ", two in a word" if packed }}. All limbs but the last are from 0 to 2^{{ step_bits }} - 1; the last has the sign.
alias Signed = array<i32, {{ words }}>;

// The matrix ((u, v), (q, r)) of several division steps, and the state `delta` after them.
struct Matrix {
    u: i32,
    v: i32,
    q: i32,
    r: i32,
    delta: i32,
}

// {{ step_bits }} division steps on the low words of f and g. `delta` is 1/2 less than the variant's
// delta. In each row of the matrix, the absolute values add up to at most 2^{{ step_bits }}.
fn division_steps(start: i32, f_low: i32, g_low: i32) -> Matrix {
    var m = Matrix(1, 0, 0, 1, start);
    var f = f_low;
    var g = g_low;
    for (var i = 0u; i < {{ step_bits }}u; i++) {
        let odd = (g & 1) == 1;
        if (odd && m.delta >= 0) {
            m = Matrix(m.q, m.r, -m.u, -m.v, -1 - m.delta);
            let old = f;
            f = g;
            g = -old;
        }
        if (odd) {
            g += f;
            m.q += m.u;
            m.r += m.v;
        }
        g = g >> 1u;
        m.u = m.u << 1u;
        m.v = m.v << 1u;
        m.delta += 1;
    }
    return m;
}

// (a x + b y) / 2^{{ step_bits }}, which is an integer.
fn combine_exact(a: i32, x: Signed, b: i32, y: Signed) -> Signed {
    var out: Signed;
    var t = ({{ wide }}(a) * {{ wide }}({{ limb("x", 0) }}) + {{ wide }}(b) * {{ wide }}({{ limb("y", 0) }})) >> {{ step_bits }}u;
{% for j in range(1, count) %}
    t += {{ wide }}(a) * {{ wide }}({{ limb("x", j) }}) + {{ wide }}(b) * {{ wide }}({{ limb("y", j) }});
{% if j + 1 < count %}
    {{ put(j - 1, "i32(t & " ~ mask ~ suffix ~ ")") }}
    t = t >> {{ step_bits }}u;
{% endif %}
{% endfor %}
    {{ put(count - 2, "i32(t & " ~ mask ~ suffix ~ ")") }}
    {{ put(count - 1, "i32(t >> " ~ step_bits ~ "u)") }}
    return out;
}

// (a x + b y + k p) / 2^{{ step_bits }}, with k such that it is an integer. If x and y are between
// -2 p and p, so is the result.
fn combine_modulo(a: i32, x: Signed, b: i32, y: Signed) -> Signed {
    var out: Signed;
    // First add p to x and y if they are negative: then a x + b y is between -2^{{ step_bits }} p and
    // 2^{{ step_bits }} p.
    var k = select(0, a, x[{{ words - 1 }}] < 0) + select(0, b, y[{{ words - 1 }}] < 0);
    // Then subtract p less than 2^{{ step_bits }} times, such that the low bits become 0.
    var t = {{ wide }}(a) * {{ wide }}({{ limb("x", 0) }}) + {{ wide }}(b) * {{ wide }}({{ limb("y", 0) }});
    let wanted = u32(t) * {{ field.minus_inverse % (mask + 1) }}u;
    k -= i32((u32(k) - wanted) & {{ mask }}u);
    // The sum of a x + b y and k p may not fit a word, so the two have separate carries.
    var s = {{ wide }}(k) * {{ piece(field.p, 0, int64) }}{{ suffix }};
    var sum = (t & {{ mask }}{{ suffix }}) + (s & {{ mask }}{{ suffix }});
{% for j in range(1, count) %}
    t = (t >> {{ step_bits }}u) + (sum >> {{ step_bits }}u) + {{ wide }}(a) * {{ wide }}({{ limb("x", j) }}) + {{ wide }}(b) * {{ wide }}({{ limb("y", j) }});
    s = (s >> {{ step_bits }}u) + {{ wide }}(k) * {{ piece(field.p, j, int64) }}{{ suffix }};
    sum = (t & {{ mask }}{{ suffix }}) + (s & {{ mask }}{{ suffix }});
    {{ put(j - 1, "i32(sum & " ~ mask ~ suffix ~ ")") }}
{% endfor %}
    {{ put(count - 1, "i32((t >> " ~ step_bits ~ "u) + (s >> " ~ step_bits ~ "u) + (sum >> " ~ step_bits ~ "u))") }}
    return out;
}

// x s, plus p if `plus`; s is 1 or -1.
fn signed_plus_p(x: Signed, s: i32, plus: bool) -> Signed {
    var out: Signed;
    var t = 0;
{% for j in range(count) %}
    t += s * {{ limb("x", j) }} + select(0, {{ piece(field.p, j, int64) }}, plus);
{% if j + 1 < count %}
    {{ put(j, "t & " ~ mask) }}
    t = t >> {{ step_bits }}u;
{% endif %}
{% endfor %}
    {{ put(count - 1, "t") }}
    return out;
}

// 1 / a, below p, for `a` below 2 p and not 0 modulo p.
fn big_inverse(element: Big) -> Big {
    let a = big_canonical(element);
    var f = Signed({% for j in range(words) %}{{ piece(field.p, j, int64 or packed) }}, {% endfor %});
    var g = Signed({% for j in range(words) %}{% if int64 or packed %}i32(a[{{ j }}]){% elif j % 2 == 0 %}i32(a[{{ j // 2 }}] & 0x7fffu){% else %}i32(a[{{ j // 2 }}] >> 15u){% endif %}, {% endfor %});
    var d = Signed();
    var e = Signed({% for j in range(words) %}{{ piece(field.radix_squared, j, int64 or packed) }}, {% endfor %});
    var delta = 0;
    for (var batch = 0u; batch < {{ batches }}u; batch++) {
        let m = division_steps(delta, f[0], g[0]);
        delta = m.delta;
{% if few_registers %}
        // A loop around a switch, so that no compiler computes several of these numbers at a time.
        var next: Signed;
        let parts = 4u * min(params.group_count, 1u);
        for (var part = 0u; part < parts; part++) {
            switch (part) {
                case 0u: {
                    next = combine_exact(m.u, f, m.v, g);
                }
                case 1u: {
                    g = combine_exact(m.q, f, m.r, g);
                    f = next;
                }
                case 2u: {
                    next = combine_modulo(m.u, d, m.v, e);
                }
                default: {
                    e = combine_modulo(m.q, d, m.r, e);
                    d = next;
                }
            }
        }
{% else %}
        let next_f = combine_exact(m.u, f, m.v, g);
        g = combine_exact(m.q, f, m.r, g);
        f = next_f;
        let next_d = combine_modulo(m.u, d, m.v, e);
        e = combine_modulo(m.q, d, m.r, e);
        d = next_d;
{% endif %}
    }
    // The inverse is d f modulo p, with f = +-1; d is above -2 p and below p.
    d = signed_plus_p(d, 1, d[{{ words - 1 }}] < 0);
    let sign = select(1, -1, f[{{ words - 1 }}] < 0);
    d = signed_plus_p(d, sign, (d[{{ words - 1 }}] < 0) != (sign < 0));
    return Big({% for i in range(field.limbs) %}{% if int64 or packed %}u32(d[{{ i }}]){% else %}u32(d[{{ 2 * i }}]) | (u32(d[{{ 2 * i + 1 }}]) << 15u){% endif %}, {% endfor %});
}
