// Evaluates a formula on a list of tuples. Thread i loads its inputs into the first registers and
// the constants, common to all threads, into the next ones, runs the formula `repeats` times,
// and stores the first registers.
//
// Element k of tuple i is at (i * elements + k) * words. Elements are canonical (below p) or lazy (below
// 8 p) integers. A canonical output must be below 2 p in its register. If the formula marks equal x, the
// outputs are 0.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% from "register.wgsl" import register %}
{% set source_words = field.words if source == "canonical" else field.lazy_words %}
{% set target_words = field.words if target == "canonical" else field.lazy_words %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.tuples) {
        return;
    }
{% for k in range(inputs) %}
    {
        var w: Words_{{ source }};
        for (var i = 0u; i < {{ source_words }}u; i++) {
            w[i] = input[((params.first_input + thread) * {{ inputs }}u + {{ k }}u) * {{ source_words }}u + i];
        }
        {{ register(k, kept) }} = big_unpack_{{ source }}(w);
    }
{% endfor %}
{% for constant in constants %}
    {{ register(inputs + loop.index0, kept) }} = Big({% for limb in constant %}{{ limb }}u, {% endfor %});
{% endfor %}
    for (var i = 0u; i < params.repeats; i++) {
        if (run(0u, params.turns).same_x) {
            // The formula does not apply: the double of a point of order two is infinity.
{% for k in range(outputs) %}
            {{ register(k, kept) }} = BIG_ZERO;
{% endfor %}
        }
    }
{% for k in range(outputs) %}
    {
{% if target == "canonical" %}
        let w = big_pack_canonical(big_canonical({{ register(k, kept) }}));
{% else %}
        let w = big_pack_lazy({{ register(k, kept) }});
{% endif %}
        for (var i = 0u; i < {{ target_words }}u; i++) {
            output[((params.first_output + thread) * {{ outputs }}u + {{ k }}u) * {{ target_words }}u + i] = w[i];
        }
    }
{% endfor %}
}
