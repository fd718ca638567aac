// Finds points outside the subgroup of order r, as in subgroup.wgsl, over a quadratic extension: a point P is inside if
// u P = {{ "-f" if negative else "f" }} P. Two threads side by side have a point, each of them one element of every coordinate. With one thread a point
// no compiler finds enough registers (benches/notebook/vendors.md).
//
// The base is always P, which is read again where it is added. One loop has the only call that runs a formula. An iteration, the
// same one in all threads,
//
//     doubles the accumulator,
//     adds P to it, for a bit of u that is set, or
//     adds {{ "-f" if negative else "f" }} P, after the last bit, to see whether the accumulator is equal to it.

{% include "msm/accumulator.wgsl" %}
{% include "msm/affine_split.wgsl" %}
{% include "msm/multiplier.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let part = lane & 1u;
    let index = (workgroup_index(id, count) * WORKGROUP + lane) / 2u;
    let exists = index < params.count && load_addend(index, false, part);
    if (exists) {
        copy_affine(part);
    }
    var bit = TOP;
    var adding = false;
    loop {
        var doubling = false;
        var comparing = false;
        var idle = !exists || !finite;
        if (adding) {
            adding = false;
            if (exists) {
                load_addend(index, false, part);
                if (!finite) {
                    copy_affine(part);
                }
            }
        } else if (bit > 0u) {
            doubling = true;
            bit--;
            adding = bit_of_u(bit);
        } else {
            comparing = true;
            if (exists) {
                idle = !load_addend(params.count + index, {{ "true" if negative else "false" }}, part) || idle;
            }
        }
        let is_equal = add_or_double(lane, doubling, idle);
        if (comparing) {
            if (exists && !is_equal) {
                atomicMin(&first_outside[0], index);
            }
            break;
        }
    }
}
