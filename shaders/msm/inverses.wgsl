// Replaces elements, none of them 0, by their inverses: thread t those at t, t + threads and
// so on, {{ share }} of them, with one inversion for all (Montgomery's trick). The products before each
// element and, on the way back, the inverses are one loop, so that there is one multiplication.

{% include "big.wgsl" %}
{% set step_bits = 30 if int64 else 15 %}
{% set batches = (division_steps + step_bits - 1) // step_bits %}
{% include "big_inverse.wgsl" %}

{% from "msm/point_memory.wgsl" import element_loader, element_storer %}
{{ element_loader("load", "elements", field) }}
{{ element_storer("store", "elements", field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads || thread >= params.len) {
        return;
    }
    let own = (params.len - thread + params.threads - 1u) / params.threads;
    var before: array<Big, {{ share }}>;
    var running = BIG_ONE;
    // Forward: turns 0 to own - 1. Backward: two turns an element, first its inverse, then
    // the inverse of the product before it.
    for (var turn = 0u; turn < 3u * own; turn++) {
        if (turn == own) {
            running = big_inverse(running);
        }
        let forward = turn < own;
        let back = own - 1u - (turn - own) / 2u;
        let at = thread + select(back, turn, forward) * params.threads;
        let is_result = !forward && (turn - own) % 2u == 0u;
        if (forward) {
            before[turn] = running;
        }
        var other: Big;
        if (is_result) {
            other = before[back];
        } else {
            other = load(at);
        }
        let product = big_mul(running, other);
        if (is_result) {
            // The element is still needed for the next turn.
            before[back] = product;
        } else {
            running = product;
        }
    }
    for (var i = 0u; i < own; i++) {
        store(thread + i * params.threads, before[i]);
    }
}
