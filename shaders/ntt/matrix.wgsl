// One pass of transforms whose vectors are the columns of a row-major matrix.
//
// The rows are blocks of 2^b times 2^log_stride rows, and every column of every block is transformed along the rows
// that stand 2^log_stride apart. Word j of row m, for m below 2^log_stride, is word m width + j of a block. These words
// are contiguous, and 2^c of them are the columns of a tile:
//
//                 word m width + j of the block
//     rows 0 ..       | . . x x x x . . |     2^b pieces of 2^c words, 2^log_stride rows apart,
//     rows 1 * 2^s .. | . . x x x x . . |     become their transforms. Row k gets frequency br(k), br the
//     ...             | . . x x x x . . |     reversal of b bits, and the factor w^(br(k) m). Decimation in time
//                                             does the inverse.
//
// The pass is columns.wgsl for a width that need not be a power of two: m depends on the width, and the last tile of
// a block may reach into the next one, or past the end.

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
{% if spread %}
    // Every block comes from the whole source. Groups that read the same words are neighbours.
    let wanted = ((group >> params.log_blocks) << {{ log_columns }}u) | column;
    let block = group & ((1u << params.log_blocks) - 1u);
    let t = min(wanted, params.columns - 1u);
{% else %}
    let wanted = (group << {{ log_columns }}u) | column;
    let word = min(wanted, params.columns - 1u);
    let block_words = params.width << params.log_stride;
    let block = word / block_words;
    let t = word - block * block_words;
{% endif %}
{{ place_column() }}

{% if weighted_in %}
    // Entry i = m + k 2^log_stride of a coset's vector has the weight g^m (g^(2^log_stride))^k.
    let weights_low = block * ((1u << params.log_stride) + {{ 2 ** log_rows }}u);
    let weights_high = weights_low + (1u << params.log_stride);
    let weight_low = weights[weights_low + m];
{% endif %}
    let row_in = {{ steps[0].row }};
{{ load_rows(source, "" if spread else "block", "row_in", steps[0].rows, reversed_in) }}
{% if weighted_in %}
{% for row in steps[0].rows %}
{% set k = loop.index0 %}
    x{{ k }} = mul_var(x{{ k }}, mul_var(weight_low, weights[weights_high + row_in + {{ row }}u]));
{% endfor %}
{% endif %}

    var at = 0u;
    var s = 0u;
{% include "ntt/steps.wgsl" %}

    if (wanted >= params.columns) {
        return;
    }
{{ store_rows("block", steps[-1].row, steps[-1].rows, reversed_out, weighted_out) }}
}
