// Access to the input and output of a transform in device memory. `i` is an index into the buffer; `index`
// is the number of the coefficient or value stored there.

// The number of the entry at index i of the buffer, for vectors in natural order.
fn natural(i: u32) -> u32 {
    return (params.place + i) & ((1u << params.log_n) - 1u);
}

// The number of the entry at index i of the buffer, for vectors in bit-reversed order.
fn reversed(i: u32) -> u32 {
    return reverseBits((params.place + i) << (32u - params.log_n));
}

{% include "ntt/store.wgsl" %}

// Loads the word at index i, weighted or padded with zeros if the variant asks for it.
fn load(i: u32, index: u32) -> u32 {
    var x = 0u;
{% if paired %}
    // The first vector comes from `source`, the second from `second_source`. Zeros follow each.
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
