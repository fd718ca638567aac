// What the panel of a block notes for those after it, in `outcome`; the panel of the next block
// writes another buffer while the rows are still updated by this one:
//     FAILED    the block that lacks pivots it might have, from 1, or 0; from then on nothing is done
//     BEFORE    rows that are pivots before the block
//     DONE      rows that are pivots after it
//     AGAIN     whether another look at the rows is needed
//     NOTES     from here on what the kind of panel adds

const FAILED: u32 = 0u;
const BEFORE: u32 = 1u;
const DONE: u32 = 2u;
const AGAIN: u32 = 3u;
const NOTES: u32 = 4u;
