// Load-balanced accumulation (Chen, Peng, Dai, Luo, He, TCHES 2024): every thread adds up
// the points of an equal slice of the sorted entries, bucket by bucket, and writes each sum
// to the slot thread + bucket of `partials`. Buckets only grow along the list, so no two
// threads share a slot, whatever the digits are.

{% include "msm/point.wgsl" %}
{% include "msm/affine.wgsl" %}
{% from "msm/point_memory.wgsl" import storer %}
{{ storer("store_partial", "partials", size, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    let first = thread * params.slice;
    if (thread >= params.threads || first >= params.entries) {
        return;
    }
    let last = min(first + params.slice, params.entries);
    var bucket = keys[first] + first / params.segment * params.buckets;
    for (var entry = first; entry < last; entry++) {
        let next = keys[entry] + entry / params.segment * params.buckets;
        if (next != bucket) {
            store_partial(thread + bucket);
            bucket = next;
            finite = false;
        }
        add_entry(values[entry]);
    }
    store_partial(thread + bucket);
}
