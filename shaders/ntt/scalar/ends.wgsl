// What a pass begins and ends with: the scalars of a vector, and their weights. Unless tiles are whole, some indices are past
// the end: a zero is read there. Where they are whole, no branch keeps the read of one scalar from that of another.

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
    {{ "" if whole else "if (index < params.len) " }}{
        x = lazy_of({{ source }}[2u * index], {{ source }}[2u * index + 1u]);
    }
{{ multiplied(load, not time) }}
    return x;
}

// What the pass ends with: below r in the last pass, otherwise below 2 r.
fn finished(index: u32, value: Lazy) -> Lazy {
    var x = value;
{{ multiplied(store, time) }}
    x = reduced(x);
{% if last %}
    x = canonical(x);
{% endif %}
    return x;
}

// The place of the result with an index.
fn target_of(index: u32) -> u32 {
    return {{ "reversed_index(index)" if reversed else "index" }};
}
