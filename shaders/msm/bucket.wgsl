// The bucket of a sorted entry. A set has `params.segment` entries, which the sort kept together.

// The bucket of an entry, numbered through all sets.
fn bucket_at(entry: u32) -> u32 {
    return keys[entry] + entry / params.segment * params.buckets;
}

// True if entry `entry` belongs to the same bucket as the entry before it.
fn is_continued(entry: u32) -> bool {
    return entry > 0u && entry < params.entries && bucket_at(entry - 1u) == bucket_at(entry);
}
