// Multiplies one base by many scalars: a multiple is the sum of one point of a table for each digit of its scalar. Window w of
// the table has d 2^(c w) times the base, for d from 1 to `multiples` = 2^(c - 1), at w multiples + d - 1.
//
// The entries are those of digits.wgsl with a table level for each window: entry w len + i of scalar i and window w has
// the magnitude of its digit, less one, as its key, and the digit's sign as bit 31 of its value.
//
// One thread a scalar.

{% include "msm/point.wgsl" %}
{% include "msm/affine.wgsl" %}
{% from "msm/point_memory.wgsl" import storer %}
{{ storer("store_sum", "sums", size, field, kept) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.len) {
        return;
    }
    for (var window = 0u; window < params.windows; window++) {
        let entry = window * params.len + thread;
        let value = values[entry];
        if (value != NOTHING) {
            add_entry((window * params.multiples + keys[entry]) | (value & 0x80000000u));
        }
    }
    store_sum(thread);
}
