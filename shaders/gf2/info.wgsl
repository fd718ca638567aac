// The state of each block's columns, INFO words a block:
//     0 to 7     bit mask: has a pivot
//     8 to 15    bit mask: may get one
//     16 to 271  by column: the row that is its pivot, GIVEN for an eliminator, or NONE

const INFO: u32 = 272u;
const ELIGIBLE: u32 = 8u;
const SLOTS: u32 = 16u;
const NONE: u32 = 0xffffffffu;
const GIVEN: u32 = 0xfffffffeu;
