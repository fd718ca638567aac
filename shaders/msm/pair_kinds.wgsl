// The kinds of sums of two points of the table. A point is an index; that of the right one has a sign in bit 31.
//
//     INFINITE     the sum is infinity
//     LEFT         the sum is the left point: the right one is infinity
//     RIGHT        the sum is the right point: the left one is infinity
//     DIFFERENT    the points have different x
//     EQUAL        the points are equal, and their double is finite

const INFINITE: u32 = 0u;
const LEFT: u32 = 1u;
const RIGHT: u32 = 2u;
const DIFFERENT: u32 = 3u;
const EQUAL: u32 = 4u;

// A point that a pair does not have.
const NOTHING: u32 = 0xffffffffu;
