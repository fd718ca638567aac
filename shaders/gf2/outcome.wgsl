// The outcome of a block's panel, which later kernels read. There are two such buffers: the panel of
// the next block writes the other one while updates still read this one.
//     FAILED    1 + the block that may lack pivots, or 0; after a failure kernels do nothing
//     BEFORE    pivot rows before the block
//     DONE      pivot rows after it
//     AGAIN     whether a second attempt is needed
//     NOTES     from here on the notes of this kind of panel: moves.wgsl or in_order.wgsl

const FAILED: u32 = 0u;
const BEFORE: u32 = 1u;
const DONE: u32 = 2u;
const AGAIN: u32 = 3u;
const NOTES: u32 = 4u;
