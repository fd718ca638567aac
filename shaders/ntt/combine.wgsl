// From residues modulo one to three primes to the residue modulo m of the integer; src/ntt/conversion/combination.rs explains the
// constants and has the formulas.

{% include "ntt/constant.wgsl" %}

const P0: u32 = {{ primes[0] }}u;
const P1: u32 = {{ primes[1] }}u;
const P2: u32 = {{ primes[2] }}u;
// A multiple of P2 above P0.
const LIFT: u32 = {{ lift }}u;

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
    let m = params.modulus;
    let d0 = sum(first[i], params.half_0, P0);
    var residue = times(d0, vec2<u32>(params.weight_0, params.weight_0_quotient), m);
    if (params.count > 1u) {
        // d0 is below 2 P1.
        let r1 = sum(second[i], params.half_1, P1);
        let by_first = vec2<u32>(params.by_first, params.by_first_quotient);
        let d1 = times(difference(r1, min(d0, d0 - P1), P1), by_first, P1);
        residue = sum(residue, times(d1, vec2<u32>(params.weight_1, params.weight_1_quotient), m), m);
        if (params.count > 2u) {
            let r2 = third[i] + params.half_2 + LIFT - d0;
            let by_both = times(r2, vec2<u32>(params.by_both, params.by_both_quotient), P2);
            let by_second = times(d1, vec2<u32>(params.by_second, params.by_second_quotient), P2);
            let d2 = difference(by_both, by_second, P2);
            residue = sum(residue, times(d2, vec2<u32>(params.weight_2, params.weight_2_quotient), m), m);
        }
    }
    first[i] = difference(residue, params.half, m);
}
