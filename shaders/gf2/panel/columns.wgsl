// Gauss-Jordan elimination of 32 columns of 64 rows, a thread a column. The pivot of a column is the
// first free row, in order, with a one there.
//
//     free = all rows
//     for each column c of `seeking`, in order:
//         p = the first row of `free` with a one in column c; if there is none: continue
//         remove p from `free`
//         for each other column d with a one in row p:
//             d = d + (c without its one in row p)
//
// To add row p to all rows with a one in column c is to add column c, but for row p, to all columns with
// a one in row p. A pivot's column is not cleared: its bits say to which rows the pivot was added.

{% set group = 4 %}
// The next {{ group }} columns to eliminate, in two alternating places, so that one barrier is enough for each.
var<workgroup> current: array<vec2<u32>, {{ 2 * group }}>;

struct Column {
    // By row: the column's entry. After elimination, in a column with a pivot: 1 if the pivot was added.
    bits: vec2<u32>,
{% if in_order %}
    // By row: the same as it was when the row was promoted.
    own: vec2<u32>,
{% endif %}
    // The row that is the column's pivot, or NONE.
    row: u32,
}

// The entry of a column in a row.
fn entry_at(column: vec2<u32>, row: u32) -> u32 {
    return (select(column.x, column.y, row >= 32u) >> (row & 31u)) & 1u;
}

// The lowest one of 64 bits.
fn lowest(bits: vec2<u32>) -> vec2<u32> {
    let one = bits & (~bits + vec2<u32>(1u));
    return vec2<u32>(one.x, select(one.y, 0u, one.x != 0u));
}

// Eliminates the columns of `seeking` among the first `count` rows. Threads from 32 on only wait.
fn eliminate(start: Column, seeking: u32, count: u32, lane: u32) -> Column {
    var column = start.bits;
{% if in_order %}
    var own = column;
{% endif %}
    var free = vec2<u32>(ones_below(count), select(0u, ones_below(count - 32u), count > 32u));
    var winner = vec2<u32>();
    let sought = countOneBits(seeking);
    // The rank of the thread's column in `seeking`. Once the column is done, its difference from `first`
    // wraps to a large number.
    var place = NONE;
    if (lane < 32u && ((seeking >> lane) & 1u) == 1u) {
        place = countOneBits(seeking & ones_below(lane));
    }
    var side = 0u;
    for (var first = 0u; first < sought; first += {{ group }}u) {
        // {{ group }} columns at a time. Every thread repeats their elimination by each other.
        let nth = place - first;
        if (nth < {{ group }}u) {
            current[side + nth] = column;
        }
        workgroupBarrier();
        if (lane < 32u) {
{% for q in range(group) %}
            var ones{{ q }} = select(vec2<u32>(), current[side + {{ q }}u], first + {{ q }}u < sought);
{% endfor %}
{% for q in range(group) %}
            let chosen{{ q }} = lowest(ones{{ q }} & free);
            free &= ~chosen{{ q }};
            let others{{ q }} = ones{{ q }} & ~chosen{{ q }};
{% for p in range(q + 1, group) %}
            if (any((ones{{ p }} & chosen{{ q }}) != vec2<u32>())) {
                ones{{ p }} ^= others{{ q }};
            }
{% endfor %}
            if (nth == {{ q }}u) {
                winner = chosen{{ q }};
            } else if (any((column & chosen{{ q }}) != vec2<u32>())) {
                column ^= others{{ q }};
{% if in_order %}
                own ^= ones{{ q }} & free;
{% endif %}
            }
{% endfor %}
        }
        side = {{ group }}u - side;
    }
    var result = start;
    result.bits = column;
{% if in_order %}
    result.own = own;
{% endif %}
    result.row = NONE;
    if (winner.x != 0u) {
        result.row = firstTrailingBit(winner.x);
    } else if (winner.y != 0u) {
        result.row = 32u + firstTrailingBit(winner.y);
    }
    return result;
}
