// The pass over contiguous vectors of 2^b words: whole short transforms or, of longer ones, the last pass of
// decimation in frequency or the first pass of decimation in time.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}
{% include "ntt/access.wgsl" %}

// The place in the tile of word i of the group's vectors, if these are in natural order.
fn place_of(i: u32) -> u32 {
    return place(i & {{ 2 ** log_rows - 1 }}u, i >> LOG_ROWS);
}

// The place in the tile of word i of the group's vectors, if these are in bit-reversed order.
fn place_of_reversed(i: u32) -> u32 {
    return place(reverseBits(i << {{ 32 - log_rows }}u), i >> LOG_ROWS);
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
    // With this numbering neighbouring threads store neighbouring words in natural order.
    let q_late = reverseBits(q << {{ 32 - (log_rows - log_registers) }}u);
    let column_late = column;
{% endif %}

{% if staged_in %}
    let way_in = place_of{{ "_reversed" if reversed_in }}(lane);
{% for slot in slots_in %}
    let i{{ loop.index0 }} = base + {{ loop.index0 * threads }}u + lane;
    tile[(way_in ^ {{ slot }}u) >> 2u] = load(i{{ loop.index0 }}, {{ index_in }}(i{{ loop.index0 }}));
{% endfor %}
    workgroupBarrier();
    at = place({{ steps[0].row }}, column);
{% for slot in steps[0].slots %}
    var x{{ loop.index0 }} = tile[(at ^ {{ slot }}u) >> 2u];
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
    tile[(at ^ {{ slot }}u) >> 2u] = x{{ loop.index0 }};
{% endfor %}
    workgroupBarrier();
    let way_out = place_of{{ "_reversed" if reversed_out }}(lane);
{% for slot in slots_out %}
    let j{{ loop.index0 }} = base + {{ loop.index0 * threads }}u + lane;
    store(j{{ loop.index0 }}, {{ index_out }}(j{{ loop.index0 }}), tile[(way_out ^ {{ slot }}u) >> 2u]);
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
