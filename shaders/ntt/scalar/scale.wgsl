// Multiplies scalar i of a vector by one entry of a table, or by two: by entry (i >> shift) & mask, and by entry
// second_at + (i >> second_shift).

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
    var x = scalar_of(target_scalars[2u * i], target_scalars[2u * i + 1u]);
    let index = params.first + i;
    var at = (index >> params.shift) & params.mask;
    for (var factor = 0u; factor < {{ factors }}u; factor++) {
        x = big_mul(x, scalar_of(tables[2u * at], tables[2u * at + 1u]));
        at = params.second_at + (index >> params.second_shift);
    }
    store_scalar(i, x);
}
