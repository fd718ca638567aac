// The output of a transform in device memory, and the weights of cosets at either end.

{% if weighted_in or weighted_out %}
// The weight g^index or g^-index / n of a coset, from its low and high digits.
fn weight(index: u32) -> u32 {
    let low = index & ((1u << params.log_low_weights) - 1u);
    let high = index >> params.log_low_weights;
    return mul_var(weights[low], weights[(1u << params.log_low_weights) + high]);
}
{% endif %}

// Stores a word at index i, weighted or scaled if the variant asks for it.
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
