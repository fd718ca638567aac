// One radix-2 stage between the two halves of a vector that no single binding holds.
//
//     level 0, n words              | left half           | right half          |
//                                       m -> left             m -> right
//
//     decimation in frequency:      left, right = left + right, (left - right) w^(m 2^level)
//     decimation in time:           left, right = left + right w^(m 2^level), left - right w^(m 2^level)
//
// `left` and `right` are runs of words that begin m = params.m words after the beginnings of the two halves
// of a block of n / 2^level words; w is the primitive n-th root of unity.

{% include "ntt/arithmetic.wgsl" %}

{% include "ntt/power.wgsl" %}

{% if weighted_in or weighted_out %}
// The weight of the word with this index, from the low and high digits of the index.
fn weight(index: u32) -> u32 {
    let low = index & ((1u << params.log_low_weights) - 1u);
    let high = index >> params.log_low_weights;
    return mul_var(weights[low], weights[(1u << params.log_low_weights) + high]);
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i >= params.len) {
        return;
    }
    let twiddle = power((params.m + i) << params.level);
    var u = left[i];
    var v = right[i];
{% if decimation == "frequency" %}
{% if weighted_in %}
    u = mul_var(u, weight(params.left_place + i));
    v = mul_var(v, weight(params.right_place + i));
{% endif %}
    let sum = u + v;
    var difference = u + P - v;
    difference = min(difference, difference - P);
    left[i] = min(sum, sum - P);
    right[i] = mul_var(difference, twiddle);
{% else %}
    v = mul_var(v, twiddle);
    var sum = u + v;
    sum = min(sum, sum - P);
    var difference = u + P - v;
    difference = min(difference, difference - P);
{% if weighted_out %}
    sum = mul_var(sum, weight(params.left_place + i));
    difference = mul_var(difference, weight(params.right_place + i));
{% elif scaled %}
    let scale = vec2<u32>(params.scale, params.scale_quotient);
    sum = mul_const(sum, scale);
    difference = mul_const(difference, scale);
{% for k in scale_reductions %}
    sum = min(sum, sum - {{ k }}u);
    difference = min(difference, difference - {{ k }}u);
{% endfor %}
{% endif %}
    left[i] = sum;
    right[i] = difference;
{% endif %}
}
