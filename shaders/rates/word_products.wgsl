// A chain of Montgomery products of words modulo {{ p }}.

const P: u32 = {{ p }}u;
const P_INVERSE: u32 = {{ p_inverse }}u;

{% include "mulhi32.wgsl" %}
{% include "montgomery32.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var x = thread;
    for (var i = 0u; i < params.rounds; i++) {
        x = montgomery(x, 1234567u);
        x = montgomery(x, 7654321u);
    }
    // Never true, but no compiler can know that.
    if (x == params.never && thread == params.never) {
        sink[0] = x;
    }
}
