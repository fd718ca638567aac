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

// y - a for the y of a point with its sign, both at most p; below 3 p.
fn big_signed_difference(point: u32, y: Big, a: Big) -> Big {
    let sign = 1 - 2 * i32(point >> 31u);
    var out: Big;
    var column = 0;
{% for limb in field.p_twice %}
    column += {{ limb }} + sign * i32(y[{{ loop.index0 }}]) - i32(a[{{ loop.index0 }}]);
    out[{{ loop.index0 }}] = u32(column) & LIMB_MASK;
    column = column >> 30u;
{% endfor %}
    return out;
}
