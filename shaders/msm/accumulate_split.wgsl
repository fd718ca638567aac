// Load-balanced accumulation, as in accumulate.wgsl, over a quadratic extension: two threads side by side have a slice, each of
// them one element of every coordinate. One thread alone has too few registers for both (benches/RESULTS.md).
//
// The threads of a workgroup show each other the factors of every product, so that all of them go through the same loops:
//
//     for each entry of a slice:
//         where another bucket begins, store the sum and begin a new one
//         add the entry's point, or nothing

{% include "msm/accumulator.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import affine_part_loader, one_loader, one_storer %}
{{ affine_part_loader("load_point", "points", field) }}
{{ one_loader("load_element", "sums", size, field) }}
{{ one_storer("store_element", "sums", size, field) }}

{% include "msm/infinity.wgsl" %}

// The value of an entry whose digit is 0.
const NOTHING: u32 = 0xffffffffu;

// Loads an element of each coordinate of sum `slot` into the accumulator. Returns whether the sum is finite.
fn load_sum(slot: u32, part: u32) -> bool {
{% for k in range(size) %}
    r{{ k }} = load_element(slot, {{ 2 * k }}u + part);
{% endfor %}
    return big_has_limbs(r2) || big_has_limbs(load_element(slot, 5u - part));
}

// Stores an element of each coordinate of the accumulator as sum `slot`.
fn store_sum(slot: u32, part: u32) {
{% for k in range(size) %}
    store_element(slot, {{ 2 * k }}u + part, big_select(BIG_ZERO, r{{ k }}, finite));
{% endfor %}
}

// Loads an element of each coordinate of the affine point that an entry's value names into the addend. Returns whether it is
// finite: (0, 0) stands for infinity.
fn load_addend(value: u32, part: u32) -> bool {
    if (value == NOTHING) {
        return false;
    }
    let index = value & 0x7fffffffu;
    r{{ size }} = load_point(index, 0u, part);
    r{{ size + 1 }} = load_point(index, 1u, part);
    let is_finite = big_has_limbs(r{{ size }}) || big_has_limbs(r{{ size + 1 }}) || !is_infinity(index);
    if (value >> 31u == 1u) {
        r{{ size + 1 }} = big_neg(r{{ size + 1 }});
    }
    return is_finite;
}

// Makes the affine point in the addend the accumulator.
fn copy_affine(part: u32) {
    r0 = r{{ size }};
    r1 = r{{ size + 1 }};
{% for k in range(2, size) %}
    r{{ k }} = big_select(BIG_ZERO, BIG_ONE, part == 0u);
{% endfor %}
    finite = true;
}

// Adds the addend to the accumulator, both finite; `idle` threads only take part in the products of others. All threads of the
// workgroup must call it. Equal points of any of them are doubled by all of those.
fn add_addend(lane: u32, idle: bool) {
    var is_idle = idle;
    var is_doubling = false;
    var first = 0u;
    var last = params.last_adding;
    loop {
        let marks = run(lane, first, last, select(first, NEVER, is_idle));
        let is_same = !is_idle && marks.same_x;
        // Opposite points, or the double of a point of order two.
        if (is_same && (is_doubling || !marks.same_y)) {
            finite = false;
        }
        if (is_doubling) {
            break;
        }
        is_idle = !(is_same && marks.same_y);
        if (!any_of_workgroup(lane, !is_idle)) {
            break;
        }
        is_doubling = true;
        first = last + 1u;
        last = params.last_doubling;
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let part = lane & 1u;
    let thread = (workgroup_index(id, count) * WORKGROUP + lane) / 2u;
    let first = thread * params.slice;
    let exists = thread < params.threads && first < params.entries;
    let last = select(first, min(first + params.slice, params.entries), exists);
    var bucket = 0u;
    var continued = false;
    if (exists) {
        bucket = bucket_at(first);
        continued = is_continued(first);
        if (params.fresh == 0u && !continued) {
            finite = load_sum(bucket, part);
        }
    }
    for (var i = 0u; i < params.slice; i++) {
        let entry = first + i;
        var is_idle = true;
        if (entry < last) {
            if (i > 0u && bucket_at(entry) != bucket) {
                store_sum(select(bucket, params.all_buckets + 2u * thread, continued), part);
                bucket = bucket_at(entry);
                continued = false;
                finite = false;
                if (params.fresh == 0u) {
                    finite = load_sum(bucket, part);
                }
            }
            if (load_addend(values[entry], part)) {
                is_idle = !finite;
                if (!finite) {
                    copy_affine(part);
                }
            }
        }
        add_addend(lane, is_idle);
    }
    if (exists) {
        var place = bucket;
        if (continued) {
            place = params.all_buckets + 2u * thread;
        } else if (is_continued(last)) {
            place = params.all_buckets + 2u * thread + 1u;
        }
        store_sum(place, part);
    }
}
