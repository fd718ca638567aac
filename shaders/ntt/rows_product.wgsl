// The middle of a product of polynomials, in registers and workgroup memory:
//
//     left block  -> last pass of decimation in frequency -+
//                                                          * -> first pass of decimation in time -> block
//     right block -> last pass of decimation in frequency -+
//
// This is either a whole short product, from two vectors to a third, or a pass over two vectors of n words
// that stand one after the other; its result replaces the first one.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}

{% if weighted %}
// The weight psi^i of the factors, from the low and high digits of i.
fn weight(i: u32) -> u32 {
    return mul_var(weights[i & 63u], weights[64u + (i >> 6u)]);
}

// The weight psi^-i R / n of the product.
fn weight_back(i: u32) -> u32 {
    return mul_var(weights[128u + (i & 63u)], weights[192u + (i >> 6u)]);
}
{% endif %}

{% macro load(factor) %}
{% if whole %}
{% for row in steps[0].rows %}
    i = first + {{ row }}u;
    x{{ loop.index0 }} = 0u;
    if (i < params.{{ factor }}_len) {
        x{{ loop.index0 }} = {{ factor }}[i];
    }
{% if weighted %}
    x{{ loop.index0 }} = mul_var(x{{ loop.index0 }}, weight(i));
{% endif %}
{% endfor %}
{% elif few_registers %}
{% for row in steps[0].rows %}
    x{{ loop.index0 }} = data[first + {{ row }}u{{ " + params.n" if factor == "right" }}];
{% endfor %}
{% else %}
{% for k in range(registers) %}
    x{{ k }} = {{ factor }}{{ k }};
{% endfor %}
{% endif %}
{% endmacro %}
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.group_count) {
        return;
    }
    let q = lane & {{ 2 ** (log_rows - log_registers) - 1 }}u;
    let column = lane >> {{ log_rows - log_registers }}u;
    var at = 0u;
    var s = 0u;
    var i = 0u;
{% for k in range(registers) %}
    var x{{ k }} = 0u;
{% endfor %}
    let first = group * WORDS + (column << LOG_ROWS) + {{ steps[0].row }};
{% if not whole and not few_registers %}
    // Both factors are loaded before the first step.
{% for row in steps[0].rows %}
    let left{{ loop.index0 }} = data[first + {{ row }}u];
    let right{{ loop.index0 }} = data[first + {{ row }}u + params.n];
{% endfor %}
{% endif %}

{% if int64 and not few_registers %}
{{ load("left") }}
    {
{% include "ntt/steps.wgsl" %}
    }
{% for k in range(registers) %}
    let y{{ k }} = x{{ k }};
{% endfor %}
    // The second factor writes slots that other threads have read.
    workgroupBarrier();
{{ load("right") }}
    {
{% include "ntt/steps.wgsl" %}
    }
{% else %}
{% for k in range(registers) %}
    var y{{ k }} = 0u;
{% endfor %}
    // A loop shares one text between the factors: two copies would not fit the instruction cache. The bound
    // is not a constant, so that no compiler unrolls the loop.
    let factors = min(params.{{ "left_len" if whole else "n" }} + 2u, 2u);
    for (var factor = 0u; factor < factors; factor++) {
        if (factor == 0u) {
{{ load("left") }}
        } else {
            // The second factor writes slots that other threads have read.
            workgroupBarrier();
{{ load("right") }}
        }
{% include "ntt/steps.wgsl" %}
        if (factor == 0u) {
{% for k in range(registers) %}
            y{{ k }} = x{{ k }};
{% endfor %}
        }
    }
{% endif %}

    // Both factors are below p here.
{% for k in range(registers) %}
    x{{ k }} = mul_var(x{{ k }}, y{{ k }});
{% endfor %}

{% set steps = steps_back %}
    {
{% include "ntt/steps.wgsl" %}
    }
{% for row in steps[-1].rows %}
{% set x = "x%d" | format(loop.index0) %}
    i = first + {{ row }}u;
{% if weighted %}
    {{ x }} = mul_var({{ x }}, weight_back(i));
{% elif whole %}
    {{ x }} = mul_const({{ x }}, vec2<u32>(params.scale, params.scale_quotient));
{% for multiple in scale_reductions %}
    {{ x }} = min({{ x }}, {{ x }} - {{ multiple }}u);
{% endfor %}
{% endif %}
    data[i] = {{ x }};
{% endfor %}
}
