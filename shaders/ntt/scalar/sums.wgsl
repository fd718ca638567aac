// One pass of a transform over a scalar field of vectors that are too short to keep a device busy: rows of 2^LOG_ROWS scalars are
// transformed in two steps instead of LOG_ROWS stages (Cooley and Tukey 1965, with radix 2^LOG_FIRST and 2^LOG_SECOND). A step computes
// sums of products by their definition, each product by a thread of its own. There are 2.7 times as many of them as butterflies have,
// but only two follow one another.
//
//     digits of an index in the row     frequency              time
//     before                            | a    | m    |        | m    | a    |
//     after the first step              | b    | m    |        | m    | b    |       a, b    LOG_FIRST digits
//     after the second step             | b    | c    |        | c    | b    |       m, c    LOG_SECOND digits
//
// Each result of a step on k digits is the sum over q < 2^k of z^q times the value whose digit a is that of q. With w the root of order n, d the
// lowest of the digits, and i the index of the result,
//
//     frequency   z = w^(2^d rev(i >> d)), a = q: values modulo X^(2^(d + k)) - z^(2^k) become values modulo X^(2^d) - z
//     time        z = w^((i mod 2^(d + k)) n / 2^(d + k)), a = q with its k digits reversed
//
// Two results, a pair, have z and -z: those whose b differ in the lowest digit (frequency) or in the highest one (time). They share products:
//
//     first step      thread (q, p, m)       product x[q, m] z^q for pair p of b
//     second step     thread (q, p, h, r)    product y[b, q] z^q for b, of pair p and with z or -z by h, and pair r of c
//     each            sums of the products with even q and with odd q; results are the sum and the difference of both
//
// A workgroup computes 2^LOG_OUTPUTS results, those of some p, and reads the whole row. The table has, for each step, the powers of each
// context, by q and pair. The context is the digits above (frequency) or below (time).

{% set form = narrow if int64 else wide %}
{% set powers = [2 ** log_first, 2 ** log_second] | max %}
{% set pairs = 2 ** (log_outputs - 1) %}
{% include "ntt/scalar/lazy.wgsl" %}
{% include "ntt/scalar/ends.wgsl" %}

const LOG_FIRST: u32 = {{ log_first }}u;
const LOG_SECOND: u32 = {{ log_second }}u;
const LOG_ROWS: u32 = LOG_FIRST + LOG_SECOND;
const LOG_PAIRS: u32 = {{ log_outputs - 1 }}u;
const LOG_SHARES: u32 = LOG_ROWS - LOG_PAIRS - 1u;

// The limbs of all products, each limb by itself, since a thread adds up one limb of a sum; then the limbs of the sums, first of those with even q.
var<workgroup> products: array<u32, {{ field.limbs * powers * pairs }}>;
var<workgroup> sums: array<u32, {{ field.limbs * 2 * pairs }}>;

fn show_product(lane: u32, x: Lazy) {
{% for k in range(field.limbs) %}
    products[{{ k * powers * pairs }}u + lane] = x[{{ k }}];
{% endfor %}
}

// Limb i / {{ 2 * pairs }} of sum i mod {{ 2 * pairs }}, which fits a word: a sum has at most four products.
fn limb_sum(i: u32) -> u32 {
    let at = (i / {{ 2 * pairs }}u) * {{ powers * pairs }}u + i % {{ 2 * pairs }}u;
    return {% for j in range(powers // 2) %}{{ " + " if j > 0 }}products[at + {{ 2 * j * pairs }}u]{% endfor %};
}

fn store_limb(i: u32, x: u32) {
    sums[{{ field.limbs }}u * (i % {{ 2 * pairs }}u) + i / {{ 2 * pairs }}u] = x;
}

{% set jobs = field.limbs * 2 * pairs %}
{% set threads = powers * pairs %}
// Adds up all products. All threads read as often, so that none waits for those that add up a limb more.
fn add_up(lane: u32) {
    workgroupBarrier();
{% for first in range(0, jobs, threads) %}
    let sum{{ loop.index0 }} = limb_sum({{ "lane" if first + threads <= jobs else "min(lane, " ~ (jobs - first - 1) ~ "u)" }} + {{ first }}u);
{% endfor %}
{% for first in range(0, jobs, threads) %}
{% if first + threads <= jobs %}
    store_limb(lane + {{ first }}u, sum{{ loop.index0 }});
{% else %}
    if (lane < {{ jobs - first }}u) {
        store_limb(lane + {{ first }}u, sum{{ loop.index0 }});
    }
{% endif %}
{% endfor %}
    workgroupBarrier();
}

fn sum_at(i: u32) -> Lazy {
    let at = {{ field.limbs }}u * i;
    return Lazy({% for k in range(field.limbs) %}sums[at + {{ k }}u], {% endfor %});
}

// The result at z of a pair, or the one at -z: below {{ 16 + sums_cover_multiple + 1 }} r, since a sum is below 16 r + r / 2^18. With B = 2^{{ form.bits }} limbs of sums are at most 4 B - 4, settled B + 7, and those of
// {{ sums_cover_multiple }} r below 2 B + 16, so that limbs of the result are below {{ 6 if int64 else 3 }} B + 20.
fn result(pair: u32, is_second: bool) -> Lazy {
    let even = {{ "sum_at(pair)" if int64 else "settled(sum_at(pair))" }};
    let odd = settled(sum_at(pair + {{ pairs }}u));
    return Lazy({% for limb in form.sums_cover %}even[{{ loop.index0 }}] + select(odd[{{ loop.index0 }}], {{ limb }}u - odd[{{ loop.index0 }}], is_second), {% endfor %});
}

// The digits of b or c that belong to the result of a pair at z (h = 0) or -z (1).
fn digits_of_result(pair: u32, h: u32, count: u32) -> u32 {
{% if time %}
    return (h << (count - 1u)) | pair;
{% else %}
    return (pair << 1u) | h;
{% endif %}
}

// p, and b, for a pair of the second step.
fn first_pair(group: u32, pair: u32) -> u32 {
    return (low_digits(group, LOG_SHARES) << (LOG_FIRST - 1u - LOG_SHARES)) | (pair >> LOG_SECOND);
}

fn first_digits(group: u32, pair: u32) -> u32 {
    return digits_of_result(first_pair(group, pair), low_digits(pair, LOG_SECOND) >> (LOG_SECOND - 1u), LOG_FIRST);
}

// The digits of a or m that belong to z^q.
fn digits_of_power(q: u32, count: u32) -> u32 {
{% if time %}
    return reverseBits(q) >> (32u - count);
{% else %}
    return q;
{% endif %}
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    // More than 65535 workgroups are dispatched as rows of equal length.
    if (group >= params.group_count) {
        return;
    }
    let row = group >> LOG_SHARES;
    let below = low_digits(row, params.row_digit);
    let start = ((row >> params.row_digit) << (params.row_digit + LOG_ROWS)) | below;
    let q = lane >> LOG_PAIRS;
    let pair = low_digits(lane, LOG_PAIRS);
    let m = low_digits(pair, LOG_SECOND);
    let h = m >> (LOG_SECOND - 1u);
    let r = low_digits(m, LOG_SECOND - 1u);
    let p = first_pair(group, pair);
    let b = first_digits(group, pair);
{% if time %}
    let first_context = below;
    let second_context = (b << params.row_digit) | below;
{% else %}
    let first_context = low_digits(start, params.log_n) >> (params.row_digit + LOG_ROWS);
    let second_context = (first_context << LOG_FIRST) | b;
{% endif %}
    let first_factor = factor(params.first_at + ((((first_context << LOG_FIRST) | q) << (LOG_FIRST - 1u)) | p));
    let a = digits_of_power(q, LOG_FIRST);
    let x = input(start | (({% if time %}(m << LOG_FIRST) | a{% else %}(a << LOG_SECOND) | m{% endif %}) << params.row_digit));
    let second_q = low_digits(q, LOG_SECOND);
    let second_factor = factor(params.second_at + ((((second_context << LOG_SECOND) | second_q) << (LOG_SECOND - 1u)) | r));
    show_product(lane, product(x, first_factor));
    add_up(lane);
    var y = result((pair - m) | digits_of_power(second_q, LOG_SECOND), h == 1u);
    // So the zero stays in its register until here. Otherwise a driver uses that register for something else, and waits for the factor there.
    y[0] += second_factor.zero;
    y = product(y, second_factor);
{% if log_second < log_first %}
    if (q != second_q) {
        y = Lazy();
    }
{% endif %}
    show_product(lane, y);
    add_up(lane);
    // Two threads compute each result, and each writes half of it: one of them would be idle otherwise, and 32 bytes together take less time than
    // two times 16.
    if (lane < {{ 4 * pairs }}u) {
        let done = lane >> 2u;
        let is_second = (lane >> 1u) & 1u;
        let digits = digits_of_result(low_digits(done, LOG_SECOND - 1u), is_second, LOG_SECOND);
        let upper = first_digits(group, done);
        let place = {% if time %}(digits << LOG_FIRST) | upper{% else %}(upper << LOG_SECOND) | digits{% endif %};
        let index = start | (place << params.row_digit);
        let value = finished(index, result(done, is_second == 1u));
        let half = lane & 1u;
        target_scalars[2u * target_of(index) + half] = select(low_words(value), high_words(value), half == 1u);
    }
}
