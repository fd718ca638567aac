// Load-balanced accumulation, as in accumulate.wgsl, of two points at a time: the sum of two affine
// points of a bucket, without an inversion, and then that sum plus the accumulator.
//
//     for each two entries of a bucket within the slice:
//         addend = left + right             affine points; the formulas behind those of the sum
//         accumulator = accumulator + addend
//
// A single entry is left over where a bucket has an odd number within the slice.

{% include "msm/accumulator.wgsl" %}
{% include "msm/copy_addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% from "register.wgsl" import register %}
{% from "msm/coordinate.wgsl" import one %}
{% from "msm/point_memory.wgsl" import affine_loader, loader, storer %}
{{ loader("load_sum", "sums", 0, size, field, kept) }}
{{ storer("store_sum", "sums", size, field, kept) }}
{{ affine_loader("load_left", "the addend", size, field, kept) }}
{{ affine_loader("load_right", "the registers behind the left one", size + 2 * field.degree, field, kept) }}

// A digit that is 0.
const NOTHING: u32 = 0xffffffffu;

fn take_left(value: u32) -> bool {
    return value != NOTHING && load_left(value & 0x7fffffffu, value >> 31u == 1u);
}

fn take_right(value: u32) -> bool {
    return value != NOTHING && load_right(value & 0x7fffffffu, value >> 31u == 1u);
}

// Adds the two affine points, or else the addend to the accumulator: all of them finite. Returns whether the
// sum is finite.
fn add(two_affine: bool) -> bool {
    var first = select(0u, params.last_doubling + 1u, two_affine);
    var last = select(params.last_adding, params.last_pairing, two_affine);
    let doubling = select(params.last_doubling, params.last_pair_doubling, two_affine);
    loop {
        let marks = run(first, last);
        if (!marks.same_x) {
            return true;
        }
        // Opposite points; or twice a point of order two.
        if (!marks.same_y || last == doubling) {
            return false;
        }
        first = last + 1u;
        last = doubling;
    }
    return false;
}

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
{% if kept != 0 %}
    own = lane;
{% endif %}
    let last = min(first + params.slice, params.entries);
    var bucket = bucket_at(first);
    var continued = is_continued(first);
    var entry = first;
    if (params.fresh == 0u && !continued) {
        finite = load_sum(bucket);
    }
    loop {
        let ended = entry == last;
        if (ended || bucket_at(entry) != bucket) {
            var place = bucket;
            if (continued) {
                place = params.all_buckets + 2u * thread;
            } else if (ended && is_continued(last)) {
                place = params.all_buckets + 2u * thread + 1u;
            }
            store_sum(place);
            if (ended) {
                break;
            }
            bucket = bucket_at(entry);
            continued = false;
            finite = false;
            if (params.fresh == 0u) {
                finite = load_sum(bucket);
            }
        }
        var some = take_left(values[entry]);
        var two_affine = false;
        entry++;
        if (entry < last && bucket_at(entry) == bucket) {
            if (some) {
                two_affine = take_right(values[entry]);
            } else {
                some = take_left(values[entry]);
            }
            entry++;
        }
        if (some && !two_affine) {
{% for k in range(2 * field.degree, size) %}
            {{ register(size + k, kept) }} = {{ one(k, field) }};
{% endfor %}
        }
        // At most two turns, so that one place runs the formulas.
        while (some) {
            if (!two_affine && !finite) {
                copy_addend();
                break;
            }
            let is_finite = add(two_affine);
            if (two_affine) {
{% for k in larger %}
                {{ register(size + k, kept) }} = big_canonical({{ register(size + k, kept) }});
{% endfor %}
                two_affine = false;
                some = is_finite;
            } else {
                finite = is_finite;
                break;
            }
        }
    }
}
