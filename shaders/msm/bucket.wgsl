// The bucket of a sorted entry.

// The bucket of an entry among those of all sets.
fn bucket_at(entry: u32) -> u32 {
    return keys[entry] + entry / params.segment * params.buckets;
}

// Whether entry `entry` belongs to the bucket of the one before it.
fn is_continued(entry: u32) -> bool {
    return entry > 0u && entry < params.entries && bucket_at(entry - 1u) == bucket_at(entry);
}
