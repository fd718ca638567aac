{% set minus = field.minus_square if field.minus_square != 1 %}
// Products in a quadratic extension by two threads side by side, each of which has one element of every factor and gets that of
// the product:
//
//     thread 0     a0 b0 - {{ minus }} a1 b1
//     thread 1     a0 b1 + a1 b0
//
// A square is no special case: to compute (a0 + a1) (a0 - a1) and 2 a0 a1 is slower (benches/RESULTS.md).
// All threads of the workgroup must call these functions.
{% set shown = 2 %}
{% include "workgroup_exchange.wgsl" %}

{% if kept == "all" %}
// An element of the product of the factors in registers `a` and `b` of the two threads, a at most 16 p and b at most 8 p; below 2 p.
// Afterwards all threads have read them.
fn shared_product(lane: u32, a: u32, b: u32) -> Big {
    workgroupBarrier();
    let a1 = r[a][lane | 1u];
    let c = big_select(big_opposite(a1), a1, (lane & 1u) == 1u);
    let product = big_dot(r[a][lane & ~1u], b, lane, c, b, lane ^ 1u, true);
    workgroupBarrier();
    return product;
}

{% else %}
// Shows the thread's elements of two factors, a at most 16 p and b at most 8 p. Each turn of a formula does so from its own
// registers, so that no factor is moved to registers that all turns share. All threads must have read what was shown before.
fn offer(lane: u32, a: Big, b: Big) {
    board[lane] = a;
    board[WORKGROUP + lane] = b;
}

// An element of the product of the factors that the two threads showed last, below 2 p. Afterwards all threads have read them.
fn shared_product(lane: u32) -> Big {
    workgroupBarrier();
    let a1 = seen(lane | 1u);
    let c = big_select(big_opposite(a1), a1, (lane & 1u) == 1u);
    let product = big_dot(seen(lane & ~1u), board[WORKGROUP + lane], c, board[WORKGROUP + (lane ^ 1u)], true);
    workgroupBarrier();
    return product;
}

{% endif %}
// True if `own` is true for both threads.
fn both(lane: u32, own: bool) -> bool {
    // What they showed before is read.
    workgroupBarrier();
    bits[lane] = u32(own);
    workgroupBarrier();
    return (bits[lane] & bits[lane ^ 1u]) == 1u;
}

// The start of a thread whose registers stay in all turns.
const NEVER: u32 = 0xffffffffu;
