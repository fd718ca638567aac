// Every word times one constant: 1/n after an inverse transform. Below p before and after.

{% include "ntt/arithmetic.wgsl" %}

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
    var x = mul_const(data[i], vec2<u32>(params.scale, params.scale_quotient));
{% for multiple in reductions %}
    x = min(x, x - {{ multiple }}u);
{% endfor %}
    data[i] = x;
}
