// The last pass of decimation in frequency, with a result in natural order: transforms 2^c contiguous blocks
// of 2^b words, chosen so that their results stand side by side, and writes them as rows of 2^c words.
//
// Block t of a vector holds the frequencies br(t) + 2^(log_n - b) j, br the reversal of
// log_n - b bits: blocks that differ in their top c bits differ in the low c bits of br(t).

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}
{% include "ntt/access.wgsl" %}

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
    let log_blocks = params.log_n - LOG_ROWS;
    let log_groups = log_blocks - LOG_COLUMNS;
    let vector = (group >> log_groups) << params.log_n;
    let t_low = group & ((1u << log_groups) - 1u);

    // Loads: neighbouring threads have neighbouring q in one column.
    let q = lane & {{ 2 ** (log_rows - log_registers) - 1 }}u;
    let column = lane >> {{ log_rows - log_registers }}u;
    // Stores: neighbouring threads have neighbouring columns.
    let q_late = lane >> LOG_COLUMNS;
    let column_late = lane & {{ 2 ** log_columns - 1 }}u;
    let t_high = reverseBits(column) >> (32u - LOG_COLUMNS);
    let block = (t_high << log_groups) | t_low;
    let first = vector + (block << LOG_ROWS) + {{ steps[0].row }};
{% for row in steps[0].rows %}
    var x{{ loop.index0 }} = load(first + {{ row }}u, 0u);
{% endfor %}

    var at = 0u;
    var s = 0u;
{% include "ntt/steps.wgsl" %}

    // Row k of the tile holds the frequency whose high digit is br(k).
    let low_digit = ((reverseBits(t_low << 1u) >> (32u - log_groups - 1u)) << LOG_COLUMNS) | column_late;
    let row = {{ steps[-1].row_late }};
{% for register_row in steps[-1].rows %}
    let j{{ loop.index0 }} = ((reverseBits(row + {{ register_row }}u) >> {{ 32 - log_rows }}u) << log_blocks) | low_digit;
    store(vector + j{{ loop.index0 }}, j{{ loop.index0 }}, x{{ loop.index0 }});
{% endfor %}
}
