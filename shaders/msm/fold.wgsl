// Adds up aligned blocks of partial sums that belong to one bucket, in place: blocks of 16
// slots into their first, then blocks of 16 such blocks, and so on, one level a dispatch. A
// bucket that many threads met is so brought down to few sums, and no thread has more to add
// than another. Where no bucket is large, nothing is added.

{% include "msm/point.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{% include "msm/slots.wgsl" %}
{{ loader("load_partial", "partials", size, field) }}
{{ storer("store_partial", "partials", size, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.blocks) {
        return;
    }
    let begin = thread * params.block;
    // The last bucket whose slots begin at or before the block.
    var low = 0u;
    var high = params.all_buckets;
    while (high - low > 1u) {
        let middle = low + (high - low) / 2u;
        if (offsets[middle] / params.slice + middle <= begin) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (slots_of(low).end < begin + params.block) {
        return;
    }
    for (var i = 0u; i < 16u; i++) {
        let slot = begin + i * (params.block / 16u);
        if (load_partial(slot, select(0u, SIZE, finite))) {
            finite = !finite || add_registers();
        }
    }
    store_partial(begin);
}
