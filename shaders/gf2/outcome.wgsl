// The outcome of a block's panel, which later kernels read. There are two such buffers: the panel of
// the next block writes the other one while updates still read this one.
//     FAILED    1 + the block that may lack pivots, or 0; after a failure kernels do nothing
//     BEFORE    the number of pivot rows before the block
//     DONE      the number of pivot rows after the block
//     AGAIN     1 if a second attempt is needed
//     NOTES     from here on, notes: panel/moves.wgsl or panel/in_order.wgsl

const FAILED: u32 = 0u;
const BEFORE: u32 = 1u;
const DONE: u32 = 2u;
const AGAIN: u32 = 3u;
const NOTES: u32 = 4u;
