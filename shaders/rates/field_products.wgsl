// A chain of squares in a field of {{ field.bits }} bits.
// Text {{ salt }}: a driver that keeps compiled kernels has none of this text.

{% include "big.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var x = BIG_ONE;
    x[0] = (x[0] + thread * 2654435769u + {{ salt }}u) & LIMB_MASK;
    var y = BIG_ONE;
    for (var i = 0u; i < params.rounds; i++) {
        let product = big_mul(x, y);
        y = x;
        x = product;
    }
    // Never true, but no compiler can know that.
    if (x[0] == params.never && thread == params.never) {
        sink[0] = x[0];
    }
}
