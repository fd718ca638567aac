// The buckets whose partial sums gather.wgsl and gather_by_element.wgsl add up.

// A bucket that several slices share: the slice that begins it, and what `begins_within` takes.
struct Shared {
    exists: bool,
    bucket: u32,
    slice: u32,
    limit: u32,
}

{% if by_bucket %}
// The bucket `bucket`. This form is for fewer buckets than slices.
fn shared_by(bucket: u32) -> Shared {
    if (bucket >= params.all_buckets) {
        return Shared();
    }
    // The entries of nothing at the end of the list belong to the last bucket.
    let end = select(offsets[bucket + 1u], params.entries, bucket + 1u == params.all_buckets);
    let begin = offsets[bucket];
    if (begin == end) {
        return Shared();
    }
    let slice = begin / params.slice;
    let limit = (end - 1u) / params.slice;
    return Shared(slice != limit, bucket, slice, limit);
}
{% else %}
// The bucket that slice `slice` begins and does not end. This form is for fewer slices than buckets, most of which lie
// within one slice.
fn shared_by(slice: u32) -> Shared {
    if (slice >= params.threads) {
        return Shared();
    }
    let first = slice * params.slice;
    let last = first + params.slice;
    // Nothing to do if the last bucket ends with the slice, or if the slice does not begin it.
    if (!is_continued(last) || (is_continued(first) && bucket_at(first) == bucket_at(last))) {
        return Shared();
    }
    let bucket = bucket_at(last);
    return Shared(true, bucket, slice, bucket);
}
{% endif %}
