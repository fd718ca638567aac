// Computes the bucket sums of odd digits. The table has too few doublings for some digits; these went to
// excess buckets. Excess bucket o 2^e, o odd, holds points with the factor o 2^(e + 1). By Horner's rule
// these are added to the bucket of o:
//
//     sum(o) = bucket(o) + 2 (excess(o) + 2 (excess(2 o) + 2 (excess(4 o) + ...)))

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field, kept) }}
{{ storer("store_weight", "weights", size, field, kept) }}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
{% if kept != 0 %}
    own = lane;
{% endif %}
    if (thread >= params.sums) {
        return;
    }
    let first_bucket = thread / params.weights * params.buckets;
    let odd_part = 2u * (thread % params.weights) + 1u;
    let excess_buckets = params.buckets - params.weights;
    // The number of excess buckets of the odd part o: those of o 2^e for e below it.
    var turns_left = 0u;
    while ((odd_part << turns_left) <= excess_buckets) {
        turns_left++;
    }
    // Each iteration adds a bucket or, between buckets, doubles the sum. One call does both additions.
    var doubling = false;
    loop {
        var addend = false;
        if (doubling) {
            addend = finite;
{% for k in range(size) %}
            {{ register(size + k, kept) }} = {{ register(k, kept) }};
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
