// The state of one row (see panel.wgsl) and its reduction by acting pivots.

// A row's state: 256 bits.
struct Row {
    low: vec4<u32>,
    high: vec4<u32>,
}

// Word w of a row.
fn word_of(row: Row, w: u32) -> u32 {
    // Selections, since a computed index would put the row into memory.
    let side = select(row.low, row.high, w >= 4u);
    let pair = select(side.xy, side.zw, (w & 2u) != 0u);
    return select(pair.x, pair.y, (w & 1u) != 0u);
}

// Eight words of which word w is `value`, the others 0.
fn at_word(value: u32, w: u32) -> Row {
    let here = vec4<u32>(value);
    let low = select(vec4<u32>(), here, vec4<u32>(w) == vec4<u32>(0u, 1u, 2u, 3u));
    let high = select(vec4<u32>(), here, vec4<u32>(w) == vec4<u32>(4u, 5u, 6u, 7u));
    return Row(low, high);
}

// Adds to a row the acting pivots that its bits select among the columns `gained` of word w.
//
// Threads begin with different groups, so that eight threads side by side read different memory banks.
fn reduce(row: Row, gained: u32, w: u32, lane: u32) -> Row {
    let bits = word_of(row, w) & gained;
    if (bits == 0u) {
        return row;
    }
    let cleared = at_word(gained, w);
    var low = row.low & ~cleared.low;
    var high = row.high & ~cleared.high;
    for (var step = 0u; step < 8u; step++) {
        let g = (lane + step) & 7u;
        let entry = 8u * ((bits >> (4u * g)) & 15u) + g;
        low ^= sums[entry];
        high ^= sums[128u + entry];
    }
    return Row(low, high);
}

// The acting pivot of column j of the word.
fn acting_row(j: u32) -> Row {
    let i = 8u * j;
    return Row(
        vec4<u32>(acting[i], acting[i + 1u], acting[i + 2u], acting[i + 3u]),
        vec4<u32>(acting[i + 4u], acting[i + 5u], acting[i + 6u], acting[i + 7u]),
    );
}

// A word whose bits below n are ones.
fn ones_below(n: u32) -> u32 {
    return select((1u << (n & 31u)) - 1u, 0xffffffffu, n >= 32u);
}
