// The addition of two points by a thread for each element of a point, {{ 4 * field.degree }} threads side by side. They have the coordinates X, Y, ZZ and
// ZZZ (x = X / ZZ, y = Y / ZZZ) of both points, and get those of the sum. The fourteen products of the formula add-2008-s
// (Explicit-Formulas Database) depend on each other in four levels, so that the sum takes the time of four products,
// where few sums leave the device idle:
//
//     threads           X                  Y                  ZZ                     ZZZ
//     level 0    U1 = X1 ZZ2        S1 = Y1 ZZZ2       U2 = X2 ZZ1            S2 = Y2 ZZZ1
//                P = U2 - U1        R = S2 - S1        P                      R
//     level 1    PP = P P           RR = R R           ZZ1 ZZ2                ZZZ1 ZZZ2
//     level 2    Q = U1 PP          PPP = P PP         ZZ = ZZ1 ZZ2 PP        PPP
//                X = RR - PPP - 2 Q
//     level 3    R (Q - X)          S1 PPP                                    ZZZ = ZZZ1 ZZZ2 PPP
//                                   Y = R (Q - X) - S1 PPP
//
// Equal points (PP = RR = 0) are doubled by dbl-2008-s-1, in three levels, if a workgroup has any:
//
//     level 4    X1 X1              Y1 Y1
//                                   V = 4 Y1 Y1                               M = 3 X1 X1
//     level 5    S = X1 V           W = 2 Y1 V         ZZ = ZZ1 V             M M
//                X = M M - 2 S
//     level 6    M (S - X)          W Y1                                      ZZZ = ZZZ1 W
//                                   Y = M (S - X) - W Y1
//
// In memory an element is lazy. Only infinity has 0 as its ZZ; all its limbs are 0.

{% include "big.wgsl" %}
{% set degree = field.degree %}
{# Where a thread keeps what it needs in other levels than the next one: in variables, or in registers with numbers in workgroup memory,
   of which the last two are for the factors. #}
{% set first, second, begin, difference, square, sum, a, b = ["first", "second", "begin", "difference", "square", "sum", "a", "b"] %}
{% if kept == "all" %}
{% set first, second, begin, difference, square, sum, a, b = ["r[0u][lane]", "r[1u][lane]", "r[2u][lane]", "r[3u][lane]", "r[4u][lane]", "r[5u][lane]", "r[6u][lane]", "r[7u][lane]"] %}
{% set board = 8 %}
// What a thread needs in other levels than the next one, the two factors of its product, and what it shows others.
var<workgroup> r: array<array<Big, WORKGROUP>, 9>;
{% endif %}

// The threads of a sum.
const SUM: u32 = {{ 4 * degree }}u;

{% if degree == 2 %}
{% include "split.wgsl" %}
{% else %}
{% set shown = 1 %}
{% include "workgroup_exchange.wgsl" %}
{% endif %}

// True if the bit of a coordinate is set, for one of whose elements `lane` is: those of all its elements.
fn bit_of(lane: u32) -> bool {
{% if degree == 2 %}
    return (bits[lane] & bits[lane ^ 1u]) == 1u;
{% else %}
    return bits[lane] == 1u;
{% endif %}
}

{% if kept != "all" %}
// An element of the product of two coordinates, below 2 p, of which this thread has an element each: a at most 16 p, b at
// most 8 p.
fn product_of(lane: u32, a: Big, b: Big) -> Big {
{% if degree == 2 %}
    // What was shown before is read.
    workgroupBarrier();
    offer(lane, a, b);
    return shared_product(lane);
{% else %}
    return big_mul(a, b);
{% endif %}
}

{% endif %}
// s a + t b + k p.
fn combined(a: Big, s: i32, b: Big, t: i32, k: u32) -> Big {
    return big_combine(a, s, b, t, BIG_ZERO, 0, k);
}

{% if kept == "all" %}
// Adds the second of two points to the first, of each of which a thread has one element in the registers 0 and 1, with the bounds of
// the formulas in src/curve/coordinates/xyzz.rs. All threads of the workgroup must call it.
{% else %}
// The sum of two points, of each of which a thread has one element, with the bounds of the formulas in
// src/curve/coordinates/xyzz.rs. All threads of the workgroup must call it.
{% endif %}
{% if kept == "all" %}
fn add_second(lane: u32) {
{% else %}
fn sum_of(lane: u32, first: Big, second: Big) -> Big {
{% endif %}
    // The threads that have the same element of the four coordinates as this one.
    let x = (lane & ~(SUM - 1u)) | (lane & {{ degree - 1 }}u);
    let y = x + {{ degree }}u;
    let zz = x + {{ 2 * degree }}u;
    let zzz = x + {{ 3 * degree }}u;
    // 1 if only the first point is finite, 2 if only the second one is, 3 if both are.
    var finite = 0u;
    var equal_x = false;
    var equal_y = false;
{% if kept != "all" %}
    var a: Big;
    var b: Big;
{% endif %}
    var product: Big;
    // U1, S1, U2, S2; then P, R, P, R; then PP, RR, ZZ1 ZZ2, ZZZ1 ZZZ2.
{% if kept != "all" %}
    var begin: Big;
    var difference: Big;
    var square: Big;
    var sum: Big;
{% endif %}
    // A bound that no compiler knows: so the only multiplication stays in a loop.
    var last = params.last_adding;
    var level = 0u;
    loop {
        // Products are little above p.
        switch (level) {
            case 0u: {
                bits[lane] = u32(big_has_limbs({{ first }})) + 2u * u32(big_has_limbs({{ second }}));
                show(lane, {{ second }});
                finite = bits[zz]{% if degree == 2 %} | bits[zz ^ 1u]{% endif %};
                {{ a }} = {{ first }};
                {{ b }} = seen(lane ^ {{ 2 * degree }}u);
            }
            case 1u: {
                {{ begin }} = product;
                show(lane, product);
                let other = seen(lane ^ {{ 2 * degree }}u);
                let is_high = lane >= zz;
                {{ difference }} = big_sub_2p(
                    big_select(other, product, is_high),
                    big_select(product, other, is_high),
                );
                {{ a }} = big_select({{ difference }}, {{ first }}, is_high);
                {{ b }} = big_select({{ difference }}, {{ second }}, is_high);
            }
            case 2u: {
                {{ square }} = product;
                bits[lane] = u32(big_is_zero(product));
                show(lane, product);
                {{ b }} = seen(x);
                equal_x = bit_of(x);
                equal_y = bit_of(y);
                show(lane, {{ difference }});
                {{ a }} = seen(x);
                if (lane == x) {
                    {{ a }} = {{ begin }};
                } else if (lane == zz) {
                    {{ a }} = product;
                }
            }
            case 3u: {
                // RR - PPP + 2 p, below 4 p.
                show(lane, big_sub_2p({{ square }}, product));
                let rest = seen(y);
                show(lane, {{ difference }});
                {{ a }} = {{ square }};
                {{ b }} = product;
                if (lane == x) {
                    // Below 6 p.
                    {{ sum }} = combined(rest, 1, product, -2, 2u);
                    // Q - X, below 8 p.
                    {{ a }} = combined(product, 3, rest, -1, 4u);
                    {{ b }} = seen(y);
                } else if (lane == y) {
                    {{ a }} = {{ begin }};
                } else if (lane == zz) {
                    {{ sum }} = product;
                }
            }
            case 4u: {
                show(lane, product);
                if (lane == y) {
                    {{ sum }} = big_sub_2p(seen(x), product);
                } else if (lane == zzz) {
                    {{ sum }} = product;
                }
                if (any_of_workgroup(lane, finite == 3u && equal_x && equal_y)) {
                    last = params.last_doubling;
                }
                {{ a }} = {{ first }};
                {{ b }} = {{ first }};
            }
            case 5u: {
                bits[lane] = u32(big_is_zero(product));
                show(lane, product);
                // A point of order two has no double.
                equal_y = equal_y && !bit_of(y);
                {{ b }} = combined(seen(y), 4, product, 0, 0u);
                // M, below 6 p.
                {{ difference }} = combined(seen(x), 3, product, 0, 0u);
                {{ a }} = {{ first }};
                if (lane == y) {
                    {{ a }} = combined({{ first }}, 2, {{ first }}, 0, 0u);
                } else if (lane == zzz) {
                    {{ a }} = {{ difference }};
                    {{ b }} = {{ difference }};
                }
            }
            case 6u: {
                show(lane, product);
                {{ a }} = product;
                {{ b }} = {{ first }};
                if (lane == x) {
                    let square_of_m = seen(zzz);
                    {{ square }} = combined(square_of_m, 1, product, -2, 3u);
                    // S - X, below 8 p.
                    {{ a }} = {{ difference }};
                    {{ b }} = combined(product, 3, square_of_m, -1, 2u);
                } else if (lane == zz) {
                    {{ square }} = product;
                } else if (lane == zzz) {
                    {{ a }} = seen(y);
                }
            }
            default: {
                show(lane, product);
                if (lane == y) {
                    {{ square }} = big_sub_2p(seen(x), product);
                } else if (lane == zzz) {
                    {{ square }} = product;
                }
                if (equal_x && equal_y) {
                    {{ sum }} = {{ square }};
                }
            }
        }
        if (level == last) {
            break;
        }
{% if kept != "all" %}
        product = product_of(lane, a, b);
{% elif degree == 2 %}
        product = shared_product(lane, 6u, 7u);
{% else %}
        product = big_mul({{ a }}, 7u, lane);
{% endif %}
        level++;
    }
    if (equal_x && !equal_y) {
        {{ sum }} = BIG_ZERO;
    }
{% if kept == "all" %}
    if (finite == 3u) {
        {{ first }} = {{ sum }};
    } else if (finite != 1u) {
        {{ first }} = {{ second }};
    }
{% else %}
    if (finite == 1u) {
        return {{ first }};
    }
    if (finite != 3u) {
        return {{ second }};
    }
    return {{ sum }};
{% endif %}
}
