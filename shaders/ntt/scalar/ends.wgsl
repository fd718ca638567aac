// What a pass begins and ends with: the scalars of a vector, and their weights. Unless rows are whole, some indices
// are past the end: a zero is read there, and nothing written.

fn low_digits(x: u32, count: u32) -> u32 {
    return x & ((1u << count) - 1u);
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
{% set source = "source_scalars" if out_of_place else "target_scalars" %}
    var x = Lazy();
    {{ "" if rows_are_whole else "if (index < params.len) " }}{
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
    {{ "" if rows_are_whole else "if (index < params.len) " }}{
        let to = {{ "reversed_index(index)" if reversed else "index" }};
        target_scalars[2u * to] = low_words(x);
        target_scalars[2u * to + 1u] = high_words(x);
    }
}
