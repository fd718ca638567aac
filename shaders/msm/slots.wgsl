// Where a bucket's partial sums are. Bucket b's entries are those from offsets[b] to
// offsets[b + 1] - 1; the threads with slices of params.slice entries that meet them left
// their sums in consecutive slots, thread + b. Slots of later buckets are later.

struct Slots {
    begin: u32,
    end: u32,
}

fn slots_of(bucket: u32) -> Slots {
    let first = offsets[bucket];
    let last = offsets[bucket + 1u];
    let begin = first / params.slice + bucket;
    return Slots(begin, select(begin, (last - 1u) / params.slice + bucket + 1u, last > first));
}
