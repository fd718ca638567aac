// One pass of a transform over a scalar field: the transform of the rows of a tile, in workgroup memory, four scalars
// in the registers of each thread, two radix-2 stages between two barriers (Bailey 1990; Govindaraju et al.,
// "High performance discrete Fourier transforms on graphics processors", 2008).
//
// The index of a scalar has the digits of its row, those of its column, and those of the tile around them:
//
//     index     | tile above | upper | tile below | lower |         upper and lower are row and column,
//                                                                   or column and row
//
// Every scalar is multiplied at the ends of the pass: by twiddles between passes, or by the weight of the coefficient
// that it is. Values between passes are below 2 r, those of the last pass below r.

{% include "ntt/scalar/field.wgsl" %}

const LOG_ROWS: u32 = {{ log_rows }}u;
const LOG_COLUMNS: u32 = {{ log_columns }}u;
const LOG_LOWER: u32 = {{ "LOG_ROWS" if rows_low else "LOG_COLUMNS" }};
const LOG_UPPER: u32 = {{ "LOG_COLUMNS" if rows_low else "LOG_ROWS" }};
const SCALARS: u32 = 1u << (LOG_ROWS + LOG_COLUMNS);

var<workgroup> tile: array<vec4<u32>, 2u * SCALARS>;

// The scalar in a slot: column by column within a row.
fn load(slot: u32) -> Big {
    return scalar_of(tile[slot], tile[SCALARS + slot]);
}

// Stores a value below 2^256.
fn store(slot: u32, x: Big) {
    let w = big_pack_canonical(x);
    tile[slot] = vec4(w[0], w[1], w[2], w[3]);
    tile[SCALARS + slot] = vec4(w[4], w[5], w[6], w[7]);
}

// Entry i of the tables, below r.
fn entry(i: u32) -> Big {
    return scalar_of(tables[2u * i], tables[2u * i + 1u]);
}

// The power of a root of order 2^log_order, at most the number of rows.
fn root(log_order: u32, power: u32) -> Big {
    return entry(power << (LOG_ROWS - log_order));
}

fn low_digits(x: u32, count: u32) -> u32 {
    return x & ((1u << count) - 1u);
}

// The index within its chunk of the scalar at these digits.
fn index_of(group: u32, lower: u32, upper: u32) -> u32 {
    let middle = params.upper_digit - LOG_LOWER;
    let above = ((group >> middle) << LOG_UPPER) | upper;
    return (above << params.upper_digit) | (low_digits(group, middle) << LOG_LOWER) | lower;
}

fn reversed_index(index: u32) -> u32 {
    let within = low_digits(index, params.log_n);
    return (index - within) | (reverseBits(within) >> (32u - params.log_n));
}
{% macro multiplied(factor, is_coefficient) %}
{% if factor == "direct" %}
        x = big_mul(x, entry(params.outer_at + low_digits(index, params.row_digit + LOG_ROWS)));
{% elif factor != "one" %}
{% if factor == "outer" %}
        let exponent = low_digits(index, params.row_digit) * (reverseBits(row) >> (32u - LOG_ROWS));
        let at = params.outer_at;
        let log_low = params.log_low_outer;
{% else %}
        let exponent = low_digits({{ "index" if is_coefficient else "reversed_index(index)" }}, params.log_n);
        let at = params.weights_at;
        let log_low = params.log_low_weights;
{% endif %}
        var factor = at + low_digits(exponent, log_low);
        for (var level = 0u; level < 2u; level++) {
            x = big_mul(x, entry(factor));
            factor = at + (1u << log_low) + (exponent >> log_low);
        }
{% endif %}
{% endmacro %}
{% if time %}
{% include "ntt/scalar/pass_time.wgsl" %}
{% else %}
{% include "ntt/scalar/pass_frequency.wgsl" %}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    // Four, but no compiler knows, so that the loops below stay loops.
    let shares = 4u * min(params.group_count, 1u);
    for (var share = 0u; share < shares; share++) {
        let place = share * WORKGROUP + lane;
        let lower = low_digits(place, LOG_LOWER);
        let upper = place >> LOG_LOWER;
        let row = {{ "lower" if rows_low else "upper" }};
        let column = {{ "upper" if rows_low else "lower" }};
        let index = index_of(group, lower, upper);
        var x = BIG_ZERO;
        if (index < params.len) {
{% set source = "source_scalars" if out_of_place else "target_scalars" %}
            x = scalar_of({{ source }}[2u * index], {{ source }}[2u * index + 1u]);
        }
{{ multiplied(load, not time) }}
        store((row << LOG_COLUMNS) | column, x);
    }
    workgroupBarrier();
    transform_rows(lane);
    for (var share = 0u; share < shares; share++) {
        let place = share * WORKGROUP + lane;
{% if rows_low and not reversed %}
        let row = low_digits(place, LOG_ROWS);
        let column = place >> LOG_ROWS;
{% else %}
        let column = low_digits(place, LOG_COLUMNS);
        let row = place >> LOG_COLUMNS;
{% endif %}
        let index = index_of(group, {{ "row, column" if rows_low else "column, row" }});
        var x = load((row << LOG_COLUMNS) | column);
{{ multiplied(store, time) }}
{% if last %}
        x = big_canonical(x);
{% endif %}
        if (index < params.len) {
            let to = {{ "reversed_index(index)" if reversed else "index" }};
            let w = big_pack_canonical(x);
            target_scalars[2u * to] = vec4(w[0], w[1], w[2], w[3]);
            target_scalars[2u * to + 1u] = vec4(w[4], w[5], w[6], w[7]);
        }
    }
}
