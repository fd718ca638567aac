// The middle of a product of polynomials: contiguous blocks of both factors through the
// last pass of decimation in frequency, their pointwise product, and the first pass of
// decimation in time back, all in registers and workgroup memory.
//
// Either a whole short product from two vectors into a third, or a pass over two vectors of
// n words that stand one behind the other, in place of the first.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}

{% if weighted %}
// The weights psi^i of the factors, and psi^-i R / n of the product, from low and high digits.
fn weight(i: u32) -> u32 {
    return mul_var(weights[i & 63u], weights[64u + (i >> 6u)]);
}

fn weight_back(i: u32) -> u32 {
    return mul_var(weights[128u + (i & 63u)], weights[192u + (i >> 6u)]);
}
{% endif %}

{% macro load(factor) %}
{% for k in range(registers) %}
    i = first + {{ k * 2 ** steps[0].window }}u;
{% if whole %}
    x{{ k }} = 0u;
    if (i < params.{{ factor }}_len) {
        x{{ k }} = {{ factor }}[i];
    }
{% else %}
    x{{ k }} = data[i{{ " + params.n" if factor == "right" }}];
{% endif %}
{% if weighted %}
    x{{ k }} = mul_var(x{{ k }}, weight(i));
{% endif %}
{% endfor %}
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
    let first = group * WORDS + (column << LOG_ROWS) + row_of(q, {{ steps[0].window }}u);
    var at = 0u;
    var s = 0u;
    var i = 0u;
{% for k in range(registers) %}
    var x{{ k }} = 0u;
{% endfor %}
{% if early and not whole %}
    // All that comes from memory is on its way before the first step.
{% for k in range(registers) %}
    let right{{ k }} = data[first + {{ k * 2 ** steps[0].window }}u + params.n];
{% endfor %}
{% endif %}

{{ load("left") }}
{% include "ntt/loads.wgsl" %}
    {
{% include "ntt/steps.wgsl" %}
    }
{% for k in range(registers) %}
    let y{{ k }} = x{{ k }};
{% endfor %}
    // The second factor writes slots that other threads have read.
    workgroupBarrier();
{% if early and not whole %}
{% for k in range(registers) %}
    x{{ k }} = right{{ k }};
{% endfor %}
{% else %}
{{ load("right") }}
{% endif %}
    {
{% include "ntt/steps.wgsl" %}
    }

    // Both factors came below p.
{% for k in range(registers) %}
    x{{ k }} = mul_var(x{{ k }}, y{{ k }});
{% endfor %}

{% set steps = steps_back %}
    {
{% include "ntt/loads.wgsl" %}
{% include "ntt/steps.wgsl" %}
    }
{% for k in range(registers) %}
    i = first + {{ k * 2 ** steps[-1].window }}u;
{% if weighted %}
    x{{ k }} = mul_var(x{{ k }}, weight_back(i));
{% elif whole %}
    x{{ k }} = mul_const(x{{ k }}, vec2<u32>(params.scale, params.scale_quotient));
{% for multiple in scale_reductions %}
    x{{ k }} = min(x{{ k }}, x{{ k }} - {{ multiple }}u);
{% endfor %}
{% endif %}
    data[i] = x{{ k }};
{% endfor %}
}
