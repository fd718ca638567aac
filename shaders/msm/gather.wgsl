// The sum of every bucket from its partial sums, which fold.wgsl brought down to few: at
// each slot the largest folded block that begins there and lies within the bucket is taken.
//
// With odd digits the buckets beyond the table, of points that still lack a factor 2, 4, 8
// and so on, are doubled into the bucket of their odd part. With `fresh` = 0 the sums are
// added to those that are there.

{% include "msm/point.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{% include "msm/slots.wgsl" %}
{{ loader("load_partial", "partials", size, field) }}
{{ loader("load_sum", "sums", size, field) }}
{{ storer("store_sum", "sums", size, field) }}

// The largest block of folded slots at `slot` that ends by `end`.
fn block_at(slot: u32, end: u32) -> u32 {
    var block = 1u;
    while (block < params.largest_block && (slot & (block * 16u - 1u)) == 0u && slot + block * 16u <= end) {
        block *= 16u;
    }
    return block;
}

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
    let bucket_set = thread / params.weights;
    let odd_part = 2u * (thread % params.weights) + 1u;
    let excess_buckets = params.buckets - params.weights;
    // The largest o 2^e that has an excess bucket, as e + 1.
    var turns_left = 0u;
    while ((odd_part << turns_left) <= excess_buckets) {
        turns_left++;
    }
    // Each turn adds what is left of a bucket or, between buckets, the sum to itself; at last
    // what was there. One place adds, for all of them.
    var slots = Slots(0u, 0u);
    var doubling = false;
    var started = false;
    var existing = params.fresh == 0u;
    loop {
        var addend = false;
        if (slots.begin < slots.end) {
            addend = load_partial(slots.begin, select(0u, SIZE, finite));
            slots.begin += block_at(slots.begin, slots.end);
        } else if (doubling) {
            doubling = false;
            addend = finite;
            for (var k = 0u; k < SIZE; k++) {
                registers[SIZE + k] = registers[k];
            }
        } else if (turns_left > 0u) {
            turns_left--;
            slots = slots_of(bucket_set * params.buckets + params.weights + (odd_part << turns_left) - 1u);
            doubling = true;
        } else if (!started) {
            started = true;
            slots = slots_of(bucket_set * params.buckets + thread % params.weights);
        } else if (existing) {
            existing = false;
            addend = load_sum(thread, select(0u, SIZE, finite));
        } else {
            break;
        }
        if (addend) {
            finite = !finite || add_registers();
        }
    }
    store_sum(thread);
}
