// One stage of the radix-2 transform, decimation in time (Cooley and Tukey 1965): vectors in blocks of
// 2^(stage + 1) words whose halves are already transformed. Each thread computes one butterfly, on word j of
// both halves; all words are below p before and after.

{% include "ntt/arithmetic.wgsl" %}

{% if twiddles == "fly" %}
// x w^j for w = params.root, a primitive root of unity of the block's order in the form that
// mul_var takes, as is params.one.
fn times_twiddle(x: u32, j: u32) -> u32 {
    var power = params.one;
    var square = params.root;
    for (var bits = j; bits != 0u; bits >>= 1u) {
        if ((bits & 1u) != 0u) {
            power = mul_var(power, square);
        }
        square = mul_var(square, square);
    }
    return mul_var(x, power);
}
{% else %}
// x w^j, from the powers of the root of the whole length: every 2^log_step-th is a power of w.
fn times_twiddle(x: u32, j: u32) -> u32 {
    let k = j << params.log_step;
{% if reduction == "shoup" %}
    var y = mul_const(x, vec2<u32>(table[2u * k], table[2u * k + 1u]));
{% for multiple in reductions %}
    y = min(y, y - {{ multiple }}u);
{% endfor %}
    return y;
{% else %}
    return mul_var(x, table[k]);
{% endif %}
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.butterflies) {
        return;
    }
    let half = 1u << params.stage;
    let j = thread & (half - 1u);
    let low = 2u * (thread - j) + j;
    let u = data[low];
    let v = times_twiddle(data[low + half], j);
    let sum = u + v;
    let difference = u - v;
    data[low] = min(sum, sum - P);
    data[low + half] = min(difference, difference + P);
}
