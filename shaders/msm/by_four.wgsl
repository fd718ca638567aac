// The addition of two points by four threads side by side. Threads 0 to 3 of each four have the coordinates X, Y, ZZ
// and ZZZ (x = X / ZZ, y = Y / ZZZ) of both points, and get that of the sum. The fourteen products of the formula
// add-2008-s (Explicit-Formulas Database) depend on each other in four levels, so that the sum takes the time of
// four products, where few sums wait for each other:
//
//     thread            X                  Y                  ZZ                     ZZZ
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
// In memory a coordinate is {{ field.degree }} lazy element{{ "s" if field.degree > 1 }}, below 8 p. Only infinity has 0 as its ZZ; all its limbs are 0.

{% include "big.wgsl" %}
{% from "msm/coordinate.wgsl" import C, prefix, CONST %}
{% set parts = [".c0", ".c1"] if field.degree == 2 else [""] %}
{% set limbs = field.degree * field.limbs %}

// What the threads show each other. There are two sides, used in turns: so one barrier suffices, since no thread
// writes to a side before all have read from the other.
var<workgroup> board: array<{{ C(field) }}, 2u * WORKGROUP>;
var<private> side: u32;
// Bits that the threads show each other, beside the board.
var<workgroup> bits: array<u32, WORKGROUP>;
// Whether any four threads have found something, and a copy of it for all.
var<workgroup> found: atomic<u32>;
var<workgroup> found_by_all: u32;

// Shows a value to the workgroup.
fn show(lane: u32, value: {{ C(field) }}) {
    side = WORKGROUP - side;
    board[side + lane] = value;
    workgroupBarrier();
}

// The value that a thread showed last.
fn seen(lane: u32) -> {{ C(field) }} {
    return board[side + lane];
}

// True for all threads if `own` is true for any. All must call it.
fn any_of_workgroup(lane: u32, own: bool) -> bool {
    if (lane == 0u) {
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    if (own) {
        atomicStore(&found, 1u);
    }
    workgroupBarrier();
    if (lane == 0u) {
        found_by_all = atomicLoad(&found);
    }
    return workgroupUniformLoad(&found_by_all) == 1u;
}

// s a + t b + k p. The factors s, t and k are at most 7 in absolute value.
fn combined(a: {{ C(field) }}, s: i32, b: {{ C(field) }}, t: i32, k: u32) -> {{ C(field) }} {
{% if field.degree == 2 %}
    return Ext(big_combine(a.c0, s, b.c0, t, BIG_ZERO, 0, k), big_combine(a.c1, s, b.c1, t, BIG_ZERO, 0, k));
{% else %}
    return big_combine(a, s, b, t, BIG_ZERO, 0, k);
{% endif %}
}

// True if any limb is not 0.
fn has_limbs(a: {{ C(field) }}) -> bool {
    return ({% for part in parts %}{% for limb in range(field.limbs) %}a{{ part }}[{{ limb }}]{{ " | " if not loop.last }}{% endfor %}{{ " | " if not loop.last }}{% endfor %}) != 0u;
}

// The sum of two points, of which a thread has one coordinate each, below 8 p. All threads of the workgroup must call it.
fn sum_by_four(lane: u32, first: {{ C(field) }}, second: {{ C(field) }}) -> {{ C(field) }} {
    let x = lane & ~3u;
    let y = x + 1u;
    let zz = x + 2u;
    let zzz = x + 3u;
    var finite = 0u;
    var equal_x = false;
    var equal_y = false;
    var a: {{ C(field) }};
    var b: {{ C(field) }};
    var product: {{ C(field) }};
    // U1, S1, U2, S2; then P, R, P, R; then PP, RR, ZZ1 ZZ2, ZZZ1 ZZZ2.
    var begin: {{ C(field) }};
    var difference: {{ C(field) }};
    var square: {{ C(field) }};
    var sum: {{ C(field) }};
    var last = params.last_adding;
    var level = 0u;
    loop {
        // Bounds: products are below 2 p.
        switch (level) {
            case 0u: {
                bits[lane] = u32(has_limbs(first)) + 2u * u32(has_limbs(second));
                show(lane, second);
                finite = bits[zz];
                a = first;
                b = seen(lane ^ 2u);
            }
            case 1u: {
                begin = product;
                show(lane, product);
                let other = seen(lane ^ 2u);
                a = first;
                b = second;
                if (lane < zz) {
                    difference = combined(other, 1, product, -1, 2u);
                    a = difference;
                    b = difference;
                } else {
                    difference = combined(product, 1, other, -1, 2u);
                }
            }
            case 2u: {
                square = product;
                bits[lane] = u32({{ prefix(field) }}_is_zero(product));
                show(lane, product);
                b = seen(x);
                equal_x = bits[x] == 1u;
                equal_y = bits[y] == 1u;
                show(lane, difference);
                a = seen(x);
                if (lane == x) {
                    a = begin;
                } else if (lane == zz) {
                    a = product;
                }
            }
            case 3u: {
                // RR - PPP, below 4 p.
                show(lane, combined(square, 1, product, -1, 2u));
                let rest = seen(y);
                show(lane, difference);
                a = square;
                b = product;
                if (lane == x) {
                    sum = combined(rest, 1, product, -2, 2u);
                    // Q - X, below 10 p.
                    a = combined(product, 3, rest, -1, 4u);
                    b = seen(y);
                } else if (lane == y) {
                    a = begin;
                } else if (lane == zz) {
                    sum = product;
                }
            }
            case 4u: {
                show(lane, product);
                if (lane == y) {
                    sum = combined(seen(x), 1, product, -1, 2u);
                } else if (lane == zzz) {
                    sum = product;
                }
                if (any_of_workgroup(lane, finite == 3u && equal_x && equal_y)) {
                    last = params.last_doubling;
                }
                a = first;
                b = first;
            }
            case 5u: {
                bits[lane] = u32({{ prefix(field) }}_is_zero(product));
                show(lane, product);
                // A point of order two has no double.
                equal_y = equal_y && bits[y] == 0u;
                b = combined(seen(y), 4, product, 0, 0u);
                // 3 X1 X1, below 6 p.
                difference = combined(seen(x), 3, product, 0, 0u);
                a = first;
                if (lane == y) {
                    a = combined(first, 2, first, 0, 0u);
                } else if (lane == zzz) {
                    a = difference;
                    b = difference;
                }
            }
            case 6u: {
                show(lane, product);
                a = product;
                b = first;
                if (lane == x) {
                    let square_of_m = seen(zzz);
                    square = combined(square_of_m, 1, product, -2, 3u);
                    // S - X, below 8 p.
                    a = difference;
                    b = combined(product, 3, square_of_m, -1, 2u);
                } else if (lane == zz) {
                    square = product;
                } else if (lane == zzz) {
                    a = seen(y);
                }
            }
            default: {
                show(lane, product);
                if (lane == y) {
                    square = combined(seen(x), 1, product, -1, 2u);
                } else if (lane == zzz) {
                    square = product;
                }
                if (equal_x && equal_y) {
                    sum = square;
                }
            }
        }
        if (level == last) {
            break;
        }
        product = {{ prefix(field) }}_mul(a, b);
        level++;
    }
    if (equal_x && !equal_y) {
        sum = {{ CONST(field) }}_ZERO;
    }
    if (finite == 1u) {
        return first;
    }
    if (finite != 3u) {
        return second;
    }
    return sum;
}
