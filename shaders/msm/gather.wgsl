// Computes the sums of the buckets that several slices share, from their partial sums, which
// fold.wgsl reduced to few. Of the later slices' partial sums, the largest folded block that begins
// at a slice and lies within the bucket is added.
{% if by_bucket %}
// A thread a bucket: for fewer buckets than slices.
{% else %}
// A thread a slice, for the bucket that the slice begins and does not end: for fewer slices than
// buckets, most of which lie within one.
{% endif %}

{% include "msm/point.wgsl" %}
{% include "msm/addend.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% from "msm/point_memory.wgsl" import loader, storer %}
{{ loader("load_sum", "sums", size, size, field) }}
{{ storer("store_sum", "sums", size, field) }}

{% if by_bucket %}
// Whether slice `slice` begins within the bucket whose last slice is `limit`.
fn begins_within(slice: u32, limit: u32) -> bool {
    return slice <= limit;
}
{% else %}
// Whether slice `slice` begins within the bucket `limit`, which an earlier one begins.
fn begins_within(slice: u32, limit: u32) -> bool {
    return slice < params.threads && bucket_at(slice * params.slice) == limit;
}
{% endif %}

// Slices in the largest folded block at slice `slice` that belongs to the bucket.
fn block_at(slice: u32, limit: u32) -> u32 {
    var block = 1u;
    while (block < params.largest_block && (slice & (block * 16u - 1u)) == 0u && slice + block * 16u <= params.threads
        && begins_within(slice + block * 16u - 1u, limit)) {
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
{% if by_bucket %}
    let bucket = thread;
    if (bucket >= params.all_buckets) {
        return;
    }
    // Entries of nothing behind all others belong to the last bucket.
    let end = select(offsets[bucket + 1u], params.entries, bucket + 1u == params.all_buckets);
    var slice = offsets[bucket] / params.slice;
    if (offsets[bucket] == end) {
        return;
    }
    let limit = (end - 1u) / params.slice;
    if (slice == limit) {
        return;
    }
{% else %}
    if (thread >= params.threads) {
        return;
    }
    let first = thread * params.slice;
    let last = first + params.slice;
    // Buckets that end with the slice, and those that it neither begins nor ends.
    if (!is_continued(last) || (is_continued(first) && bucket_at(first) == bucket_at(last))) {
        return;
    }
    let bucket = bucket_at(last);
    let limit = bucket;
    var slice = thread;
{% endif %}
    var place = params.all_buckets + 2u * slice + 1u;
    slice++;
    loop {
        if (load_sum(place)) {
            add_addend();
        }
        if (!begins_within(slice, limit)) {
            break;
        }
        place = params.all_buckets + 2u * slice;
        slice += block_at(slice, limit);
    }
    store_sum(bucket);
}
