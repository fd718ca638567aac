// A whole short transform from natural to bit-reversed order by 2^{{ log_parts }} workgroups instead of one.
//
// Part t of the result is a contiguous block, the frequencies br(t) + 2^{{ log_parts }} j. Its workgroup reads
// the whole vector, does the first {{ log_parts }} radix-2 stages of decimation in frequency for its block alone, and
// transforms that block. Sums are computed more than once, but by units that would be idle otherwise.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}

{% for body in parts %}
{% set part = loop.index0 %}
// A word of part {{ part }}, from the words of the vector that it depends on, times o.
fn word_of_part{{ part }}({% for i in range(2 ** log_parts) %}a{{ i }}: u32, {% endfor %}o{{ part }}: vec2<u32>) -> u32 {
    var s = 0u;
{% for i in range(2 ** log_parts) %}
    var x{{ i }} = a{{ i }};
{% endfor %}
{{ body }}
    return x{{ part }};
}
{% endfor %}

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
    let part = group & {{ 2 ** log_parts - 1 }}u;
    let q = lane;
    let column = 0u;
    var at = 0u;
    var s = 0u;
    let first = {{ steps[0].row }};
    let start = ((group - part) << LOG_ROWS) + first;
    let o_first = (part << LOG_ROWS) + first;
{% for row in steps[0].rows %}
    var x{{ loop.index0 }} = 0u;
{% endfor %}
    switch part {
{% for body in parts %}
{% set part = loop.index0 %}
        {{ "default" if loop.last else "case %du" | format(part) }}: {
{% for row in steps[0].rows %}
            x{{ loop.index0 }} = word_of_part{{ part }}({% for i in range(2 ** log_parts) %}source[start + {{ row + i * 2 ** log_rows }}u], {% endfor %}pairs[o_first + {{ row }}u]);
{% endfor %}
        }
{% endfor %}
    }

{% include "ntt/steps.wgsl" %}

{% for slot in steps[-1].slots %}
    tile[(at ^ {{ slot }}u) >> 2u] = x{{ loop.index0 }};
{% endfor %}
    workgroupBarrier();
    let way_out = place(lane, 0u);
{% for slot in slots_out %}
    data[group * WORDS + {{ loop.index0 * threads }}u + lane] = tile[(way_out ^ {{ slot }}u) >> 2u];
{% endfor %}
}
