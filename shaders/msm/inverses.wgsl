{% from "msm/coordinate.wgsl" import C, prefix, CONST %}
// Replaces elements, none of them 0, by their inverses. Thread t does at most {{ share }} elements, at
// t, t + threads and so on, with one inversion for all of them (Montgomery's trick):
//
//     for i = 0, 1, ...:      before[i] = running; running = running * x[i]
//     running = 1 / running
//     for i = ..., 1, 0:      before[i] = running * before[i]; running = running * x[i]
//
// At the end before[i] is 1 / x[i]. All is one loop, so that the kernel has one multiplication.

{% include "big.wgsl" %}
{% set step_bits = 30 if int64 else 15 %}
{% set batches = (division_steps + step_bits - 1) // step_bits %}
{% include "big_inverse.wgsl" %}

{% if field.degree == 2 %}
// 1 / a, below 2 p, for `a` below 2 p and not 0: the conjugate over the norm.
fn ext_inverse(a: Ext) -> Ext {
    let conjugate = Ext(a.c0, big_sub_2p(BIG_ZERO, a.c1));
    let norm = ext_mul(a, conjugate).c0;
    return ext_mul(conjugate, Ext(big_inverse(norm), BIG_ZERO));
}
{% endif %}

{% from "msm/point_memory.wgsl" import element_loader, element_storer %}
{{ element_loader("load", "elements", field) }}
{{ element_storer("store", "elements", field) }}

{# Element i of what a thread keeps. #}
{% macro place(i) %}before[{{ i }}]{{ "[lane]" if few_registers }}{% endmacro %}
{% if few_registers %}
var<workgroup> before: array<array<{{ C(field) }}, WORKGROUP>, {{ share }}>;

{% endif %}
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
{% if not few_registers %}
    var before: array<{{ C(field) }}, {{ share }}>;
{% endif %}
    var running = {{ CONST(field) }}_ONE;
    // Forward: iterations 0 to own - 1. Backward: two iterations an element. The first one computes its
    // inverse, the second one the inverse of the product before it.
    for (var turn = 0u; turn < 3u * own; turn++) {
        if (turn == own) {
            running = {{ prefix(field) }}_inverse(running);
        }
        let forward = turn < own;
        let back = own - 1u - (turn - own) / 2u;
        let at = thread + select(back, turn, forward) * params.threads;
        let is_result = !forward && (turn - own) % 2u == 0u;
        if (forward) {
            {{ place("turn") }} = running;
        }
        var other: {{ C(field) }};
        if (is_result) {
            other = {{ place("back") }};
        } else {
            other = load(at);
        }
        let product = {{ prefix(field) }}_mul(running, other);
        if (is_result) {
            // The next iteration still needs the element.
            {{ place("back") }} = product;
        } else {
            running = product;
        }
    }
    for (var i = 0u; i < own; i++) {
        store(thread + i * params.threads, {{ place("i") }});
    }
}
