// From residues modulo m to the integers nearest to 0, modulo a prime; src/ntt/conversion/centring.rs explains the constants.

{% include "ntt/constant.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i < params.len) {
        let v = source[i] - params.above;
        let near = min(v, v + params.modulus);
        centred[i] = times(near + params.offset, vec2<u32>(1u, params.one_quotient), params.prime);
    }
}
