// a b / R, below p + a b / R: Montgomery's multiplication (1985), one row a limb of b, in
// columns of 64 bits. A row adds two products of 30-bit limbs to a column, and only a column that
// could pass 2^64 with them is carried before (`carries` in src/field/big.rs).
fn big_mul(a: Big, b: Big) -> Big {
{% for j in range(field.limbs) %}
    var t{{ j }} = 0lu;
{% endfor %}
{% for i in range(field.limbs) %}
{% for j in field.carries[i] %}
    t{{ j + 1 }} += t{{ j }} >> 30u;
    t{{ j }} &= 0x3ffffffflu;
{% endfor %}
    {
        let y = u64(b[{{ i }}]);
{% for j in range(field.limbs) %}
        t{{ j }} += u64(a[{{ j }}]) * y;
{% endfor %}
        let m = u64((u32(t0) * {{ field.minus_inverse }}u) & LIMB_MASK);
        t0 = t1 + m * {{ field.p[1] }}lu + ((t0 + m * {{ field.p[0] }}lu) >> 30u);
{% for j in range(2, field.limbs) %}
        t{{ j - 1 }} = t{{ j }} + m * {{ field.p[j] }}lu;
{% endfor %}
        t{{ field.limbs - 1 }} = 0lu;
    }
{% endfor %}
{% for j in range(field.limbs - 1) %}
    t{{ j + 1 }} += t{{ j }} >> 30u;
    t{{ j }} &= 0x3ffffffflu;
{% endfor %}
    return Big({% for j in range(field.limbs) %}u32(t{{ j }}), {% endfor %});
}

// r s + x f + y g + k p, which must lie between 0 and R; factors at most 7 in size.
fn big_combine(r: Big, s: i32, x: Big, f: i32, y: Big, g: i32, k: u32) -> Big {
    var out: Big;
    var t = 0li;
{% for limb in field.p %}
    t += i64(r[{{ loop.index0 }}]) * i64(s) + i64(x[{{ loop.index0 }}]) * i64(f) + i64(y[{{ loop.index0 }}]) * i64(g) + i64(k) * {{ limb }}li;
    out[{{ loop.index0 }}] = u32(t) & LIMB_MASK;
    t = t >> 30u;
{% endfor %}
    return out;
}
