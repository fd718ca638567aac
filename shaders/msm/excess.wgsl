// The sums of buckets of odd digits: the buckets beyond the table, of points that still lack a
// factor 2, 4, 8 and so on, are doubled into the bucket of their odd part.

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field) }}
{{ storer("store_weight", "weights", size, field) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.sums) {
        return;
    }
    let first_bucket = thread / params.weights * params.buckets;
    let odd_part = 2u * (thread % params.weights) + 1u;
    let excess_buckets = params.buckets - params.weights;
    // The largest o 2^e that has an excess bucket, as e + 1.
    var turns_left = 0u;
    while ((odd_part << turns_left) <= excess_buckets) {
        turns_left++;
    }
    // Each turn adds a bucket or, between buckets, the sum to itself. One place adds for both.
    var doubling = false;
    loop {
        var addend = false;
        if (doubling) {
            addend = finite;
{% for k in range(size) %}
            r{{ size + k }} = r{{ k }};
{% endfor %}
        } else if (turns_left > 0u) {
            addend = load_sum(first_bucket + params.weights + (odd_part << (turns_left - 1u)) - 1u);
        } else {
            addend = load_sum(first_bucket + thread % params.weights);
        }
        if (addend) {
            add_addend();
        }
        if (!doubling) {
            if (turns_left == 0u) {
                break;
            }
            turns_left--;
        }
        doubling = !doubling;
    }
    store_weight(thread);
}
