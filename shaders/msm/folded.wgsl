// The blocks of slices whose partial sums fold.wgsl and fold_by_element.wgsl add up.

// The first entry of the bucket of entry `entry`.
fn first_of_bucket(entry: u32) -> u32 {
    var low = entry / params.segment * params.segment;
    var high = entry;
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (keys[middle] < keys[entry]) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// True if slice `slice` is the first of a block of more slices than one.
fn leads_block(slice: u32) -> bool {
    if (slice >= params.threads) {
        return false;
    }
    let first = slice * params.slice;
    let bucket = bucket_at(first);
    if (!is_continued(first) || !begins_within(slice + params.step, bucket)) {
        return false;
    }
    // Of more than FEW slices, each has another one of them FEW / 2 before it or behind it.
    let behind = begins_within(slice + FEW / 2u, bucket);
    if (!behind && (slice < FEW / 2u || bucket_at((slice - FEW / 2u) * params.slice) != bucket)) {
        return false;
    }
    let begin = first_of_bucket(first) / params.slice + 1u;
    return is_folded(begin, bucket) && (slice - begin) % params.block == 0u;
}
