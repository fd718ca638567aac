// A formula over a list of tuples: thread i loads its inputs into the first registers and
// the constants, common to all threads, into those behind, runs the formula `repeats` times,
// and stores the first registers.
//
// Inputs and outputs are element k of tuple i at ((i * tuple) + k) * words: canonical (below
// p) or lazy (below 8 p) integers. A canonical output must be below 2 p in its register.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}
{% set from_words = field.words if from == "canonical" else field.lazy_words %}
{% set to_words = field.words if to == "canonical" else field.lazy_words %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.tuples) {
        return;
    }
{% for k in range(inputs) %}
    {
        var w: Words_{{ from }};
        for (var i = 0u; i < {{ from_words }}u; i++) {
            w[i] = input[(thread * {{ inputs }}u + {{ k }}u) * {{ from_words }}u + i];
        }
        registers[{{ k }}] = big_unpack_{{ from }}(w);
    }
{% endfor %}
{% for constant in constants %}
    registers[{{ inputs + loop.index0 }}] = Big({% for limb in constant %}{{ limb }}u, {% endfor %});
{% endfor %}
    for (var i = 0u; i < params.repeats; i++) {
        run(0u, params.steps);
    }
{% for k in range(outputs) %}
    {
{% if to == "canonical" %}
        let w = big_pack_canonical(big_canonical(registers[{{ k }}]));
{% else %}
        let w = big_pack_lazy(registers[{{ k }}]);
{% endif %}
        for (var i = 0u; i < {{ to_words }}u; i++) {
            output[(thread * {{ outputs }}u + {{ k }}u) * {{ to_words }}u + i] = w[i];
        }
    }
{% endfor %}
}
