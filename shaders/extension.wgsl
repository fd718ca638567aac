{% set k = field.minus_square %}

// The elements c0 + c1 u of a quadratic extension, u^2 = -{{ k }}. A bound such as "below 2 p" is one of both c0 and c1.
struct Ext {
    c0: Big,
    c1: Big,
}

const EXT_ONE = Ext(BIG_ONE, BIG_ZERO);
const EXT_ZERO = Ext(BIG_ZERO, BIG_ZERO);

// -{{ k if k != 1 }} a plus the multiple of p that keeps it above 0, for a at most 16 p.
fn big_opposite(a: Big) -> Big {
{% if field.minus_square > 1 %}
    return big_combine(a, -{{ field.minus_square }}, BIG_ZERO, 0, BIG_ZERO, 0, {{ 16 * field.minus_square }}u);
}
{% else %}
    var out: Big;
    var column = 0;
{% for limb in field.p_opposites %}
    column += {{ limb }} - i32(a[{{ loop.index0 }}]);
    out[{{ loop.index0 }}] = u32(column) & LIMB_MASK;
    column = column >> 30u;
{% endfor %}
    return out;
}
{% endif %}

{% if kept != "all" %}
// a b, below 2 p, for a at most 16 p and b at most 8 p. A loop whose length no compiler knows has the only multiplication.
fn ext_mul(a: Ext, b: Ext) -> Ext {
    let opposite = big_opposite(b.c1);
    var y = b.c0;
    var z = opposite;
    var first: Big;
    var product: Big;
    let parts = 2u * min(params.group_count, 1u);
    for (var i = 0u; i < parts; i++) {
        first = product;
        product = big_dot(a.c0, y, a.c1, z, true);
        y = b.c1;
        z = b.c0;
    }
    return Ext(first, product);
}

{% endif %}
// a + b.
fn ext_add(a: Ext, b: Ext) -> Ext {
    return Ext(big_add(a.c0, b.c0), big_add(a.c1, b.c1));
}

// a - b + p (1 + u), for b at most p.
fn ext_sub(a: Ext, b: Ext) -> Ext {
    return Ext(big_sub(a.c0, b.c0), big_sub(a.c1, b.c1));
}

// -a, below p, for a at most p.
fn ext_neg(a: Ext) -> Ext {
    return ext_canonical(Ext(big_neg(a.c0), big_neg(a.c1)));
}

// `then` if `condition`, else `otherwise`.
fn ext_select(otherwise: Ext, then: Ext, condition: bool) -> Ext {
    return Ext(big_select(otherwise.c0, then.c0, condition), big_select(otherwise.c1, then.c1, condition));
}

// True if a, which is below 2 p, is 0 modulo p.
fn ext_is_zero(a: Ext) -> bool {
    return big_is_zero(a.c0) && big_is_zero(a.c1);
}

// a mod p, for a below 2 p.
fn ext_canonical(a: Ext) -> Ext {
    return Ext(big_canonical(a.c0), big_canonical(a.c1));
}
