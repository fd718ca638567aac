// Buckets that several slices share, of which fold.wgsl adds up some partial sums and gather.wgsl all that it leaves.

{% if by_bucket is defined and by_bucket %}
// True if slice `slice` begins within the bucket whose last slice is `limit`.
fn begins_within(slice: u32, limit: u32) -> bool {
    return slice <= limit;
}
{% else %}
// True if slice `slice` begins within bucket `limit`, which an earlier slice begins.
fn begins_within(slice: u32, limit: u32) -> bool {
    return slice < params.threads && bucket_at(slice * params.slice) == limit;
}
{% endif %}

// Where at most this many slices continue a bucket, their partial sums are not folded.
const FEW: u32 = 8u;

// True if the partial sums of a bucket are folded; slice `begin` is the first one that continues it.
fn is_folded(begin: u32, limit: u32) -> bool {
    return begins_within(begin + FEW, limit);
}
