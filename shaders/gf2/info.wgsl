// The columns of each block, INFO words a block:
//     0 to 7     bits: the columns that have a pivot
//     8 to 15    bits: the columns that may have one
//     16 to 271  by column, its slot: the row that is its pivot, GIVEN for an eliminator, or NONE

const INFO: u32 = 272u;
const ELIGIBLE: u32 = 8u;
const SLOTS: u32 = 16u;
const NONE: u32 = 0xffffffffu;
const GIVEN: u32 = 0xfffffffeu;
