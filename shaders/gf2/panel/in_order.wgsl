// Promotion in file order: a row is final once promoted; later pivots never change it.

// Notes the original pivots that make up the row promoted at column j of word w.
//
// Pivots of columns after the row's lead may have reduced its state, if they were promoted before it. They
// must not change the row itself, so they are removed, the last column first. Pivots of columns before
// its lead stay.
//
//     own = the pivots that make up the row's state
//     while own contains a promoted row of a column after the lead:
//         c = the last such column
//         own = own + the notes of column c
fn keep_own_form(w: u32, j: u32) {
    for (var k = 0u; k < 8u - w; k++) {
        let i = 7u - k;
        var after = select(0xffffffffu, ~(ones_below(j) | (1u << j)), i == w);
        loop {
            let bits = own_rows[8u * j + i] & atomicLoad(&promoted[i]) & after;
            if (bits == 0u) {
                break;
            }
            let last = firstLeadingBit(bits);
            after &= ones_below(last);
            for (var n = 0u; n <= i; n++) {
                own_rows[8u * j + n] ^= outcome[NOTES + 8u * (32u * i + last) + n];
            }
        }
    }
    for (var i = 0u; i < 8u; i++) {
        let before = select(0u, own_rows[8u * j + i], i <= w);
        let own = select(before, before & (ones_below(j) | (1u << j)), i == w);
        outcome[NOTES + 8u * (32u * w + j) + i] = own;
    }
}

// Writes the outcome of the attempt.
fn finish(lane: u32) {
    if (lane == 0u) {
        let incomplete = is_incomplete();
        outcome[AGAIN] = u32(incomplete);
        outcome[FAILED] = select(0u, params.block + 1u, params.attempt != FIRST_ATTEMPT && incomplete);
    }
}
