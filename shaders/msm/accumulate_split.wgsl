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
{% include "msm/affine_split.wgsl" %}
{% from "register.wgsl" import register %}
{% from "msm/point_memory.wgsl" import one_loader, one_storer %}
{{ one_loader("load_element", "sums", size, field) }}
{{ one_storer("store_element", "sums", size, field) }}

// The value of an entry whose digit is 0.
const NOTHING: u32 = 0xffffffffu;

// Loads an element of each coordinate of sum `slot` into the accumulator. Returns whether the sum is finite.
fn load_sum(slot: u32, part: u32) -> bool {
{% for k in range(size) %}
    {{ register(k, kept) }} = load_element(slot, {{ 2 * k }}u + part);
{% endfor %}
    return big_has_limbs({{ register(2, kept) }}) || big_has_limbs(load_element(slot, 5u - part));
}

// Stores an element of each coordinate of the accumulator as sum `slot`.
fn store_sum(slot: u32, part: u32) {
{% for k in range(size) %}
    store_element(slot, {{ 2 * k }}u + part, big_select(BIG_ZERO, {{ register(k, kept) }}, finite));
{% endfor %}
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if kept != 0 %}
    own = lane;
{% endif %}
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
            let value = values[entry];
            if (value != NOTHING && load_addend(value & 0x7fffffffu, value >> 31u == 1u, part)) {
                is_idle = !finite;
                if (!finite) {
                    copy_affine(part);
                }
            }
        }
        add_or_double(lane, false, is_idle);
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
