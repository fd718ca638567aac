// One pass of a transform over a scalar field: the transform of the rows of a tile (Bailey 1990; Govindaraju et al.,
// "High performance discrete Fourier transforms on graphics processors", 2008). In each radix-2 stage a thread takes two
// scalars; between stages they are exchanged in workgroup memory. The first stage reads from the vector, the last one
// writes to it. With one product in the kernel the instructions fit the caches: four scalars a thread take longer.
//
// The index of a scalar has the digits of its row, those of its column, and those of the tile around them:
//
//     index     | tile above | upper | tile below | lower |         upper and lower are row and column,
//                                                                   or column and row
//     slot      | row | column |                                    of the tile
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
{% include "ntt/scalar/lazy.wgsl" %}

const LOG_ROWS: u32 = {{ log_rows }}u;
const LOG_COLUMNS: u32 = {{ log_columns }}u;
const LOG_LOWER: u32 = {{ "LOG_ROWS" if rows_low else "LOG_COLUMNS" }};
const LOG_UPPER: u32 = {{ "LOG_COLUMNS" if rows_low else "LOG_ROWS" }};
const SCALARS: u32 = 1u << (LOG_ROWS + LOG_COLUMNS);

// The limbs of all slots.
var<workgroup> low_limbs: array<vec4<u32>, SCALARS>;
var<workgroup> middle_limbs: array<vec4<u32>, SCALARS>;
var<workgroup> highest_limbs: array<u32, SCALARS>;

// Where the slot's limbs are: threads of a subgroup use different banks of 32, eight threads at a time for vectors, whichever
// digits of the slot they differ in. Where two slots differ, so do their places, linearly over the bits.
fn place_of(slot: u32) -> u32 {
    return slot ^ (((slot >> 3u) & 1u) * 7u) ^ (((slot >> 5u) & 1u) * 24u);
}

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

fn low_digits(x: u32, count: u32) -> u32 {
    return x & ((1u << count) - 1u);
}

// The slot of the first scalar of a thread in a stage on a digit of the slots: the second one has a one there.
fn first_slot(lane: u32, low: u32) -> u32 {
    return ((lane >> low) << (low + 1u)) | low_digits(lane, low);
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

fn reversed_index(index: u32) -> u32 {
    let within = low_digits(index, params.log_n);
    return (index - within) | (reverseBits(within) >> (32u - params.log_n));
}
{% macro multiplied(factor, is_coefficient) %}
{% if factor == "scale" %}
    x = product(x, factor(params.weights_at));
{% elif factor == "weights" %}
    let exponent = low_digits({{ "index" if is_coefficient else "reversed_index(index)" }}, params.log_n);
    var factor_at = params.weights_at + low_digits(exponent, params.log_low_weights);
    let levels = 2u * min(params.group_count, 1u);
    for (var level = 0u; level < levels; level++) {
        x = product(x, factor(factor_at));
        factor_at = params.weights_at + (1u << params.log_low_weights) + (exponent >> params.log_low_weights);
    }
{% endif %}
{% endmacro %}

// The scalar that the pass begins with, below {{ cover_multiple }} r.
fn input(index: u32) -> Lazy {
    var x = Lazy();
    if (index < params.len) {
{% set source = "source_scalars" if out_of_place else "target_scalars" %}
        x = lazy_of({{ source }}[2u * index], {{ source }}[2u * index + 1u]);
    }
{{ multiplied(load, not time) }}
    return x;
}

// Writes what the pass ends with: below r in the last pass, otherwise below 2 r.
fn output(index: u32, value: Lazy) {
    var x = value;
{{ multiplied(store, time) }}
    x = reduced(x);
{% if last %}
    x = canonical(x);
{% endif %}
    if (index < params.len) {
        let to = {{ "reversed_index(index)" if reversed else "index" }};
        target_scalars[2u * to] = low_words(x);
        target_scalars[2u * to + 1u] = high_words(x);
    }
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
    // The digits of the index that are the same in all slots of this thread.
    let outside = low_digits(index_of(group, low_digits(lane, LOG_COLUMNS)), params.log_n);
{% if time %}
    let before = low_digits(outside, params.row_digit);
    var twiddle_at = before << (params.log_n - 1u - params.row_digit);
{% else %}
    let before = outside >> (params.row_digit + LOG_ROWS);
    var twiddle_at = before;
{% endif %}
{% if load != "one" or store != "one" %}
    // Two, but no compiler knows, so that a factor of both scalars needs one product in the kernel.
    let shares = 2u * min(params.group_count, 1u);
{% endif %}
    var x = Lazy();
    var y = Lazy();
    var twiddle = factor(twiddle_at);
    var first_at = place_of(first_slot(lane, {{ "LOG_COLUMNS" if time else "LOG_COLUMNS + params.log_rows - 1u" }}));
    for (var done = 0u; done < params.log_rows; done++) {
{% if time %}
        let low = LOG_COLUMNS + done;
{% else %}
        let low = LOG_COLUMNS + params.log_rows - 1u - done;
{% endif %}
        // The digit by which the indices of the two scalars differ.
        let apart = 1u << (params.row_digit + low - LOG_COLUMNS);
        let second_at = first_at ^ place_of(1u << low);
        if (done == 0u) {
            let index = index_of(group, first_slot(lane, low));
{% if load == "one" %}
            x = input(index);
            y = input(index | apart);
{% else %}
            for (var share = 0u; share < shares; share++) {
                x = y;
                y = input(index | (share * apart));
            }
{% endif %}
        } else {
            workgroupBarrier();
            x = load(first_at);
            y = load(second_at);
        }
        if (done % SETTLED_EVERY + 1u == SETTLED_EVERY) {
            x = settled(x);
        }
{% if not first %}
        y = product(y, twiddle);
{% elif time %}
        // The twiddles of the transform's first stage are 1.
        if (done > 0u) {
            y = product(y, twiddle);
        }
{% else %}
        // The first twiddle of every stage is 1. In the first stage all are, and no scalar has grown. Where a workgroup has few
        // subgroups, all of them have other twiddles, too, and a reduction in place of a product spares no time; nor does it where
        // time is decimated.
        if (done > 0u && (WORKGROUP <= 64u || twiddle_at > 0u)) {
            y = product(y, twiddle);
        } else if (done > 0u) {
            y = reduced(y);
        }
{% endif %}
        {{ "let" if store == "one" else "var" }} plus = sum(x, y);
        let minus = difference(x, y);
        if (done + 1u == params.log_rows) {
            let index = index_of(group, first_slot(lane, low));
{% if store == "one" %}
            output(index, plus);
            output(index | apart, minus);
{% else %}
            for (var share = 0u; share < shares; share++) {
                output(index | (share * apart), plus);
                plus = minus;
            }
{% endif %}
            return;
        }
        store(first_at, plus);
        store(second_at, minus);
        // The next twiddle takes the registers of this one: where it is read earlier, it must be moved there.
{% if time %}
        let row_below = low_digits(lane, low + 1u) >> LOG_COLUMNS;
        twiddle_at = ((row_below << params.row_digit) | before) << (params.log_n - 2u - params.row_digit - done);
        let moved = (lane >> low) & 1u;
        first_at ^= moved * place_of(3u << low);
{% else %}
        twiddle_at = (before << (done + 1u)) | (lane >> (low - 1u));
        let moved = twiddle_at & 1u;
        first_at ^= moved * place_of(3u << (low - 1u));
{% endif %}
        twiddle = factor(twiddle_at);
    }
}
