// Step 3 of the panel: the tables of sums by which `reduce` adds acting pivots to rows, four at a time.

// Computes half an entry of the tables of sums.
fn make_sum(lane: u32) {
    let nibble = lane % 16u;
    let group = lane / 16u % 8u;
    let half = lane / 128u;
    var sum = vec4<u32>();
    for (var bit = 0u; bit < 4u; bit++) {
        let at = 8u * (4u * group + bit) + 4u * half;
        let mask = 0u - ((nibble >> bit) & 1u);
        sum ^= vec4<u32>(acting[at], acting[at + 1u], acting[at + 2u], acting[at + 3u])
            & vec4<u32>(mask);
    }
    sums[128u * half + 8u * nibble + group] = sum;
}

// Closes the columns that got a pivot.
fn close_columns(gained: u32, w: u32) {
    present[w] |= gained;
{% if in_order %}
    atomicOr(&promoted[w], gained);
{% endif %}
    open[w] &= ~gained;
}
