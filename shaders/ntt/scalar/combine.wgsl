// Adds, subtracts or multiplies the scalars of two vectors at the same place. Scalars are below r before and after.

{% include "ntt/scalar/field.wgsl" %}
{% include "ntt/scalar/store.wgsl" %}

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
    let a = scalar_of(target_scalars[2u * i], target_scalars[2u * i + 1u]);
{% if operation == "multiply" %}
    // Below r + r^2 / 2^256.
    let x = big_mul(a, raised_scalar_of(other_scalars[2u * i], other_scalars[2u * i + 1u]));
{% else %}
    let b = scalar_of(other_scalars[2u * i], other_scalars[2u * i + 1u]);
{% if operation == "add" %}
    let x = sum(a, b);
{% else %}
    // Below 2 r: b is at most r.
    let x = big_sub(a, b);
{% endif %}
{% endif %}
    store_scalar(i, x);
}
