{% from "limb15.wgsl" import half_of_p %}
// r s + x f + y g + k p, which must lie between 0 and R. The factors s, f, g and k are at most 7 in
// absolute value.
fn big_combine(r: Big, s: i32, x: Big, f: i32, y: Big, g: i32, k: u32) -> Big {
    var out: Big;
    var t = 0;
{% for limb in field.p %}
    t += i32(r[{{ loop.index0 }}] & 0x7fffu) * s + i32(x[{{ loop.index0 }}] & 0x7fffu) * f + i32(y[{{ loop.index0 }}] & 0x7fffu) * g + i32(k) * {{ half_of_p(limb, 0) }};
    out[{{ loop.index0 }}] = u32(t) & 0x7fffu;
    t = t >> 15u;
    t += i32(r[{{ loop.index0 }}] >> 15u) * s + i32(x[{{ loop.index0 }}] >> 15u) * f + i32(y[{{ loop.index0 }}] >> 15u) * g + i32(k) * {{ half_of_p(limb, 1) }};
    out[{{ loop.index0 }}] |= (u32(t) & 0x7fffu) << 15u;
    t = t >> 15u;
{% endfor %}
    return out;
}
