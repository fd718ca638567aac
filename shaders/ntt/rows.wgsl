// The pass over contiguous vectors of 2^b words: whole short transforms, or the last step
// of decimation in frequency and the first of decimation in time of longer ones.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}
{% include "ntt/access.wgsl" %}

// The row that stands at place i of its vector where vectors are in bit-reversed order.
fn reversed_row(i: u32) -> u32 {
    return reverseBits(i) >> {{ 32 - log_rows }}u;
}

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
    let base = group * WORDS;
    var at = 0u;
    var s = 0u;
{% if late %}
    // So numbered, neighbours among threads store neighbours in natural order.
    let q_late = reverseBits(q << {{ 32 - (log_rows - log_registers) }}u);
    let column_late = column;
{% endif %}

{% if staged_in %}
{% for k in range(registers) %}
    let i{{ k }} = {{ k * threads }}u + lane;
    let r{{ k }} = i{{ k }} & {{ 2 ** log_rows - 1 }}u;
    tile[place({{ "reversed_row" if reversed_in }}(r{{ k }}), i{{ k }} >> LOG_ROWS)] = load(base + i{{ k }}, {{ index_in }}(base + i{{ k }}));
{% endfor %}
    workgroupBarrier();
    at = place({{ steps[0].row }}, column);
{% for slot in steps[0].slots %}
    var x{{ loop.index0 }} = tile[at ^ {{ slot }}u];
{% endfor %}
{% else %}
    let first = base + (column << LOG_ROWS) + {{ steps[0].row }};
{% for row in steps[0].rows %}
    let i{{ loop.index0 }} = first + {{ row }}u;
    var x{{ loop.index0 }} = load(i{{ loop.index0 }}, {{ index_in }}(i{{ loop.index0 }}));
{% endfor %}
{% endif %}

{% include "ntt/steps.wgsl" %}

{% if staged_out %}
{% for slot in steps[-1].slots %}
    tile[at ^ {{ slot }}u] = x{{ loop.index0 }};
{% endfor %}
    workgroupBarrier();
{% for k in range(registers) %}
    let j{{ k }} = {{ k * threads }}u + lane;
    let v{{ k }} = j{{ k }} & {{ 2 ** log_rows - 1 }}u;
    let y{{ k }} = tile[place({{ "reversed_row" if reversed_out }}(v{{ k }}), j{{ k }} >> LOG_ROWS)];
    store(base + j{{ k }}, {{ index_out }}(base + j{{ k }}), y{{ k }});
{% endfor %}
{% elif late %}
    let last = base + (column << LOG_ROWS) + q;
{% for slot in steps[-1].slots %}
    let j{{ loop.index0 }} = last + (reverseBits({{ loop.index0 }}u << {{ 32 - log_registers }}u) << {{ log_rows - log_registers }}u);
    store(j{{ loop.index0 }}, natural(j{{ loop.index0 }}), x{{ loop.index0 }});
{% endfor %}
{% else %}
    let last = base + (column << LOG_ROWS) + {{ steps[-1].row }};
{% for row in steps[-1].rows %}
    let j{{ loop.index0 }} = last + {{ row }}u;
    store(j{{ loop.index0 }}, {{ index_out }}(j{{ loop.index0 }}), x{{ loop.index0 }});
{% endfor %}
{% endif %}
}
