// The middle of a low-degree extension of a row-major matrix's columns: the last pass of the inverse transform, the
// weights of a coset, and the first pass of the forward transform, for each block of the result.
//
//     rows k 2^log_stride + m of the source, k below 2^b
//         -> inverse pass, by decimation in time        coefficients k 2^log_stride + m, in registers
//     for each block, a coset with the shift g:
//         -> times g^(k 2^log_stride + m) / n
//         -> forward pass, by decimation in frequency   rows k 2^log_stride + m of the block
//
// So the coefficients pass through no memory. The factor g^m stands in the twiddles after the forward pass. For the
// tile see matrix.wgsl; the source is one block, and the first block of the result may lie where it does, since a
// thread's first exchange follows its last load.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}
{% include "ntt/store.wgsl" %}
{% from "ntt/matrix_rows.wgsl" import place_column, load_rows, store_rows %}

{% if outer == "words" %}
{% include "ntt/power.wgsl" %}
{% endif %}

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
    let column = lane & {{ 2 ** log_columns - 1 }}u;
    let q = lane >> {{ log_columns }}u;
    // Threads past the last column compute it once more, and store nothing.
    let wanted = (group << {{ log_columns }}u) | column;
    let t = min(wanted, params.columns - 1u);
{{ place_column() }}
{% if outer == "words" %}
    let order_mask = (1u << (params.log_stride + LOG_ROWS)) - 1u;
{% endif %}

{{ load_rows(source, "", steps_back[0].row, steps_back[0].rows, reversed_in) }}

    var at = 0u;
    var s = 0u;
{% set forward = steps %}
{% set forward_outer_step = outer_step %}
{% set steps = steps_back %}
{% set outer_step = outer_step_back %}
{% set inverted = true %}
{% set outer_at = "0u" %}
    {
{% include "ntt/steps.wgsl" %}
    }
{% for k in range(registers) %}
    let c{{ k }} = x{{ k }};
{% endfor %}

{% set steps = forward %}
{% set outer_step = forward_outer_step %}
{% set inverted = false %}
{% set outer_at = "((block + 1u) << (params.log_stride + LOG_ROWS))" %}
{% set outer_weight = "weights[(block << params.log_stride) + m]" %}
    let row = {{ steps[0].row }};
    let row_out = {{ steps[-1].row }};
    for (var block = 0u; block < (1u << params.log_blocks); block++) {
        // The exchanges of a block write slots that other threads read for the block before.
        workgroupBarrier();
        let weights_at = {{ row_weights }}u + (block << LOG_ROWS) + row;
{% for row in steps[0].rows %}
        x{{ loop.index0 }} = mul_const(c{{ loop.index0 }}, twiddles[weights_at + {{ row }}u]);
{% endfor %}
{% include "ntt/steps.wgsl" %}
        if (wanted < params.columns) {
{{ store_rows("block", "row_out", steps[-1].rows, reversed_out, false) }}
        }
    }
}
