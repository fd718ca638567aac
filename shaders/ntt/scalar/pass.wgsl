// One pass of a transform over a scalar field: the transform of the rows of a tile (Bailey 1990; Govindaraju et al.,
// "High performance discrete Fourier transforms on graphics processors", 2008). In each radix-2 stage a thread takes two
// scalars; between stages it keeps one of them and exchanges the other. The first stage reads from the vector, the last one
// writes to it. Four scalars a thread take longer.
//
// The index of a scalar has the digits of its row, those of its column, and those of the tile around them:
//
//     index     | tile above | upper | tile below | lower |         upper and lower are row and column,
//                                                                   or column and row
//     slot      | row | column |                                    of the tile
//
// The slots of a thread's two scalars differ by `bit`, a power of two: they are the thread's number with a 0 or a 1 inserted
// there. Two threads whose slots differ in the digit `next`, that of the next stage, exchange scalars crosswise:
//
//     thread         ..0..                ..1..
//     a stage        s, s + bit           s + next, s + next + bit
//     the next one   s, s + next          s + bit, s + bit + next
//
// All butterflies are those of Cooley and Tukey (1965), (x, y) -> (x + s y, x - s y), so that a value grows by at most
// {{ cover_multiple }} r a stage (Harvey, "Faster arithmetic for number-theoretic transforms", 2014): it is below 2 r in memory, below {{ cover_multiple }} r
// once it is multiplied by a weight, and below {{ cover_multiple * (log_rows + 1) }} r at the end of the pass. The twiddles s are those of the whole transform, so that none are needed between
// passes. With w the root of order n, the stage on digit d of an index has
//
//     frequency   natural to bit-reversed order, from the highest digit down: s = w^rev(index >> (d + 1)); the table has
//                 w^rev(j) at j < n/2
//     time        bit-reversed to natural order, from the lowest digit up: s = w^((index mod 2^d) n / 2^(d + 1)); the
//                 table has w^j at j < n/2

{% set form = narrow if int64 else wide %}
{% set unrolled = int64 and not compact %}
{% set shuffles = unrolled and subgroups %}
{% set paired = shuffles and whole and log_columns == 0 and log_rows > 1 %}
{% include "ntt/scalar/lazy.wgsl" %}
{% include "ntt/scalar/ends.wgsl" %}

const LOG_ROWS: u32 = {{ log_rows }}u;
const LOG_COLUMNS: u32 = {{ log_columns }}u;
const LOG_LOWER: u32 = {{ "LOG_ROWS" if rows_low else "LOG_COLUMNS" }};
const LOG_UPPER: u32 = {{ "LOG_COLUMNS" if rows_low else "LOG_ROWS" }};

// The limbs of the scalar that each thread gives away. A thread has one place, which changes: the next scalar that it gives away
// takes the place of the last one that it got, which no other thread reads. So an exchange takes one barrier without a second place
// for each thread, which would leave room for fewer workgroups: through Vulkan an H200 gives 48 KiB to all workgroups of a
// multiprocessor.
var<workgroup> low_limbs: array<vec4<u32>, WORKGROUP>;
var<workgroup> middle_limbs: array<vec4<u32>, WORKGROUP>;
var<workgroup> highest_limbs: array<u32, WORKGROUP>;

{% if not unrolled %}
// The digits of the stages before which x is settled: every stage whose number, from 0, is a multiple of {{ form.settled_every }}, but the first.
const SETTLED: u32 = 0u{% for done in range(form.settled_every, log_rows, form.settled_every) %} | {{ 2 ** (log_columns + (done if time else log_rows - 1 - done)) }}u{% endfor %};
{% endif %}

fn load(at: u32) -> Lazy {
    let a = low_limbs[at];
    let b = middle_limbs[at];
    return Lazy(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, highest_limbs[at]);
}

fn store(at: u32, x: Lazy) {
    low_limbs[at] = vec4(x[0], x[1], x[2], x[3]);
    middle_limbs[at] = vec4(x[4], x[5], x[6], x[7]);
    highest_limbs[at] = x[8];
}

// Both are computed before the choice: a branch takes longer.
fn chosen(a: Lazy, b: Lazy, is_second: bool) -> Lazy {
    return Lazy({% for k in range(field.limbs) %}select(a[{{ k }}], b[{{ k }}], is_second), {% endfor %});
}

{% if paired %}
// Writes the scalars of the threads of a subgroup. Two threads whose numbers differ in the lowest digit write the scalar of one of them
// together, then that of the other one, each of them always its half. Where scalars are apart, as they are without columns, that takes less time
// than two writes of half a scalar by each thread.
fn write_together(half: u32, to: u32, low: vec4<u32>, high: vec4<u32>) {
    let is_second = half == 1u;
    let got = subgroupShuffleXor(select(high, low, is_second), 1u);
    let other_to = subgroupShuffleXor(to, 1u);
    target_scalars[2u * select(to, other_to, is_second) + half] = select(low, got, is_second);
    target_scalars[2u * select(other_to, to, is_second) + half] = select(got, high, is_second);
}

{% endif %}
// Writes what the pass ends with: `half` of it and of another thread's scalar, or all of it if that is 2.
fn output(half: u32, index: u32, value: Lazy) {
    let x = finished(index, value);
    let to = target_of(index);
{% if paired %}
    if (half < 2u) {
        write_together(half, to, low_words(x), high_words(x));
        return;
    }
{% endif %}
    {{ "" if whole else "if (index < params.len) " }}{
        target_scalars[2u * to] = low_words(x);
        target_scalars[2u * to + 1u] = high_words(x);
    }
}

// The slot of a thread's first scalar in the stage on the digit `bit` of the slots.
fn first_slot(lane: u32, bit: u32) -> u32 {
    return lane + (lane & (0u - bit));
}

// The index within its chunk of the scalar in a slot.
fn index_of(group: u32, slot: u32) -> u32 {
    let row = slot >> LOG_COLUMNS;
    let column = low_digits(slot, LOG_COLUMNS);
    let lower = {{ "row" if rows_low else "column" }};
    let upper = {{ "column" if rows_low else "row" }};
    let middle = params.upper_digit - LOG_LOWER;
    let above = ((group >> middle) << LOG_UPPER) | upper;
    return (above << params.upper_digit) | (low_digits(group, middle) << LOG_LOWER) | lower;
}

// The difference of the indices of slots that differ by `bit`.
fn index_apart(bit: u32) -> u32 {
    return (bit >> LOG_COLUMNS) << params.row_digit;
}

// What all stages consist of. With 64-bit integers stages stand one after the other, so that the digits `bit` and `differing` are constants; without
// them a product is so long that only one fits the instruction caches, and stages are a loop, in which these are variables. In compact
// texts they are a loop, too.
{% macro multiply(bit) %}
{% if first and not time and log_rows + log_columns > 7 and (not unrolled or bit >= 32) %}
        // The first twiddle of every stage is 1, and a reduction takes less time than a product. All threads of a subgroup of 32 have it only in
        // stages on digits from 32 up; in others they would take the time of both. Where time is decimated, they never have it together; where a
        // workgroup has two subgroups, one of them always waits for the other one's product.
        if ({{ bit ~ " >= 32u && " if not unrolled }}twiddle_at == 0u) {
            y = reduced(y);
        } else {
            y = product(y, twiddle);
        }
{% else %}
        y = product(y, twiddle);
{% endif %}
{% endmacro %}
{% macro butterfly() %}
        {{ "let" if store == "one" else "var" }} plus = sum(x, y);
        let minus = difference(x, y);
{% endmacro %}
{% macro finish(bit) %}
        let index = index_of(group, first_slot(lane, {{ bit }}));
{% if store == "one" %}
        output(half, index, plus);
        output(half, index | index_apart({{ bit }}), minus);
{% else %}
        for (var share = 0u; share < shares; share++) {
            output(half, index | (share * index_apart({{ bit }})), plus);
            plus = minus;
        }
{% endif %}
{% endmacro %}
{% macro exchange(differing) %}
        // A thread's number lacks the digit `bit` of its slots, so that their digit `next` is its digit `differing`.
        let is_second = (lane & {{ differing }}{{ "u" if unrolled }}) != 0u;
        twiddle_at = {{ "(twiddle_at >> 1u)" if time else "(twiddle_at << 1u)" }} + select(0u, {{ "quarter" if time else "1u" }}, is_second);
        let given = chosen(minus, plus, is_second);
        twiddle = factor(twiddle_at);
        var other: Lazy;
{% if shuffles and differing < 32 %}
        // Within a subgroup no thread waits for those of others.
        if ({{ differing }}u < reach) {
            other = Lazy({% for k in range(field.limbs) %}subgroupShuffleXor(given[{{ k }}], {{ differing }}u), {% endfor %});
        } else
{% endif %}
        {
            store(place, given);
            workgroupBarrier();
            // All threads have exchanged over the same digits here so far, so that their places differ as their numbers do.
            place ^= {{ differing }}{{ "u" if unrolled }};
            other = load(place);
        }
        x = chosen(plus, other, is_second);
        y = chosen(other, minus, is_second);
{% endmacro %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
{% if shuffles %}
    @builtin(local_invocation_index) number: u32,
    @builtin(num_subgroups) subgroup_count: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
{% else %}
    @builtin(local_invocation_index) lane: u32,
{% endif %}
) {
    let group = workgroup_index(id, count);
    // More than 65535 workgroups are dispatched as rows of equal length.
    if (group >= params.group_count) {
        return;
    }
{% if shuffles %}
    // WGSL does not say which threads make up a subgroup, so threads are numbered subgroup by subgroup. If no subgroup lacks threads, these
    // are the numbers from 0 on, and threads whose numbers differ in one digit below `reach` are in the same subgroup.
    let is_full = subgroup_count * subgroup_size == max(WORKGROUP, subgroup_size);
    let reach = select(0u, subgroup_size, is_full);
    let lane = select(number, subgroup * subgroup_size + subgroup_lane, is_full);
{% endif %}
    // The half of scalars that this thread writes, or 2 if it writes both.
    let half = {{ "select(2u, lane & 1u, reach > 1u)" if paired else "2u" }};
    // The digits of the index that are the same in all slots of this thread.
    let outside = low_digits(index_of(group, low_digits(lane, LOG_COLUMNS)), params.log_n);
{% if time %}
    let before = low_digits(outside, params.row_digit);
    var twiddle_at = before << (params.log_n - 1u - params.row_digit);
    // A digit of the index adds n / 4 to the twiddle's place in the stage on the digit above it, and half as much in each later stage.
    let quarter = 1u << (max(params.log_n, 2u) - 2u);
{% else %}
    let before = outside >> (params.row_digit + LOG_ROWS);
    var twiddle_at = before;
{% endif %}
{% if load != "one" or store != "one" %}
    // Two, but no compiler knows, so that a factor of both scalars needs one product in the kernel.
    let shares = 2u * min(params.group_count, 1u);
{% endif %}
{% if unrolled %}
    let first_bit = {{ 2 ** (log_columns if time else log_columns + log_rows - 1) }}u;
{% else %}
    // The number of rows is a parameter, too, so that no compiler unrolls the loop of stages.
    let first_bit = 1u << (LOG_COLUMNS{% if not time %} + params.log_rows - 1u{% endif %});
    let last_bit = 1u << (LOG_COLUMNS{% if time %} + params.log_rows - 1u{% endif %});
{% endif %}
    let first_index = index_of(group, first_slot(lane, first_bit));
{% if load == "one" %}
    var x = input(first_index);
    var y = input(first_index | index_apart(first_bit));
{% else %}
    var x = Lazy();
    var y = Lazy();
    for (var share = 0u; share < shares; share++) {
        x = y;
        y = input(first_index | (share * index_apart(first_bit)));
    }
{% endif %}
    var twiddle = factor(twiddle_at);
    var place = lane;
{% if unrolled %}
{% for done in range(log_rows) %}
{% set bit = 2 ** (log_columns + (done if time else log_rows - 1 - done)) %}
    // The stage on the digit {{ bit }} of the slots.
{% if done > 0 and done % form.settled_every == 0 %}
    x = settled(x);
{% endif %}
{# The twiddles of the transform's first stage are 1, and no scalar has grown. #}
{% if done > 0 or not first %}
{{ multiply(bit) }}
{% endif %}
    {
{{ butterfly() }}
{% if done < log_rows - 1 %}
{{ exchange(bit if time else bit // 2) }}
{% else %}
{{ finish(bit ~ "u") }}
{% endif %}
    }
{% endfor %}
{% else %}
    var bit = first_bit;
    loop {
        if ((bit & SETTLED) != 0u) {
            x = settled(x);
        }
        {{ "if (bit != first_bit) " if first }}{
{{ multiply("bit") }}
        }
{{ butterfly() }}
        if (bit == last_bit) {
{{ finish("bit") }}
            return;
        }
        let differing = bit{{ " >> 1u" if not time }};
{{ exchange("differing") }}
        bit {{ "<<" if time else ">>" }}= 1u;
    }
{% endif %}
}
