// The ends of a transform in device memory. `i` is a place in the buffer, `index` the
// number of the coefficient or value that stands there.

// The number of the entry at place i of the buffer, where vectors are in natural order.
fn natural(i: u32) -> u32 {
    return (params.place + i) & ((1u << params.log_n) - 1u);
}

// The same where they are in bit-reversed order.
fn reversed(i: u32) -> u32 {
    return reverseBits((params.place + i) << (32u - params.log_n));
}

{% if weighted_in or weighted_out %}
// The weight g^index or g^-index / n of a coset, from its low and high digits.
fn weight(index: u32) -> u32 {
    let low = index & ((1u << params.log_low_weights) - 1u);
    let high = index >> params.log_low_weights;
    return mul_var(weights[low], weights[(1u << params.log_low_weights) + high]);
}
{% endif %}

fn load(i: u32, index: u32) -> u32 {
    var x = 0u;
{% if paired %}
    // The vectors of two sources, with zeros behind them.
    let within = i & ((1u << params.log_n) - 1u);
    if (i == within) {
        if (within < params.source_len) {
            x = source[within];
        }
    } else if (within < params.second_len) {
        x = second_source[within];
    }
{% elif bounded %}
    if (i < params.source_len) {
        x = {{ source }}[i];
    }
{% else %}
    x = {{ source }}[i];
{% endif %}
{% if weighted_in %}
    x = mul_var(x, weight(index));
{% endif %}
    return x;
}

fn store(i: u32, index: u32, value: u32) {
{% if bounded %}
    if (i >= params.target_len) {
        return;
    }
{% endif %}
{% if weighted_out %}
    {{ target }}[i] = mul_var(value, weight(index));
{% elif scaled %}
    var x = mul_const(value, vec2<u32>(params.scale, params.scale_quotient));
{% for k in scale_reductions %}
    x = min(x, x - {{ k }}u);
{% endfor %}
    {{ target }}[i] = x;
{% else %}
    {{ target }}[i] = value;
{% endif %}
}
