// One pass along a stride: the data are blocks of 2^b rows of 2^log_stride words, and every column of words
// of every block is transformed.
//
//              column m, word m of each row
//     row 0    | . . x . . . . . |      2^b words x, 2^log_stride words apart,
//     row 1    | . . x . . . . . |      become their transform, in place
//     ...      | . . x . . . . . |
//
// Decimation in frequency leaves row k of a block with frequency br(k), br the reversal of b bits, and
// multiplies it by w^(br(k) m) in column m, w the root of the block's order; each row then remains to be
// transformed. Decimation in time does the exact inverse.

{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/tile.wgsl" %}
{% include "ntt/access.wgsl" %}

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
    let log_groups = params.log_stride - {{ log_columns }}u;
    let block = group >> log_groups;
    let m = ((group & ((1u << log_groups) - 1u)) << {{ log_columns }}u) | column;
    let base = (block << (params.log_stride + LOG_ROWS)) | m;

    let stride = 1u << params.log_stride;
    let first = base + {{ steps[0].row }} * stride;
{% for row in steps[0].rows %}
    let i{{ loop.index0 }} = first + {{ row }}u * stride;
    var x{{ loop.index0 }} = load(i{{ loop.index0 }}, {{ index_in }}(i{{ loop.index0 }}));
{% endfor %}

    var at = 0u;
    var s = 0u;
{% include "ntt/steps.wgsl" %}

    let last = base + {{ steps[-1].row }} * stride;
{% for row in steps[-1].rows %}
    let j{{ loop.index0 }} = last + {{ row }}u * stride;
    store(j{{ loop.index0 }}, {{ index_out }}(j{{ loop.index0 }}), x{{ loop.index0 }});
{% endfor %}
}
