// The pass over contiguous vectors of 2^b words in the middle of a plan, four words at a time: the last pass
// of decimation in frequency or the first pass of decimation in time.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}

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
    let first = ((group * WORDS + (column << LOG_ROWS)) >> 2u) + q;
    var at = 0u;
    var s = 0u;
{% for v in range(4) %}
    let v{{ v }} = data[first + {{ v * 2 ** (log_rows - 4) }}u];
{% endfor %}
{% for k in range(16) %}
    var x{{ k }} = v{{ k // 4 }}[{{ k % 4 }}];
{% endfor %}

{% include "ntt/steps.wgsl" %}

{% for v in range(4) %}
    data[first + {{ v * 2 ** (log_rows - 4) }}u] = vec4<u32>(x{{ 4 * v }}, x{{ 4 * v + 1 }}, x{{ 4 * v + 2 }}, x{{ 4 * v + 3 }});
{% endfor %}
}
