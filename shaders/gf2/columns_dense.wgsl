// Gauss-Jordan elimination of 32 columns of 64 rows, a thread a column, where any row with a one
// that is not a pivot's yet may become the column's pivot: first among the first 32 rows, which
// have most of the pivots, so that a thread works on one word of them, then among the others for
// the columns that are left.

// The columns that are being eliminated, twice so that one barrier for four will do.
var<workgroup> current: array<vec2<u32>, 8>;
// Columns without a pivot among the first 32 rows.
var<workgroup> remaining: u32;

struct Column {
    // By row: its entry, and after elimination the pivot rows that were added to the row.
    bits: vec2<u32>,
    // The row that is the column's pivot, or NONE.
    row: u32,
}

// Eliminates the columns of `seeking` among the first `count` rows. Threads past 32 only wait.
fn eliminate(start: Column, seeking: u32, count: u32, lane: u32) -> Column {
    var column = start.bits;
    var row = NONE;
    var side = 0u;
{% for half in ["x", "y"] %}
{% if half == "x" %}
    var left = seeking;
    var free = ones_below(count);
{% else %}
    if (lane == 0u) {
        remaining = left;
    }
    left = workgroupUniformLoad(&remaining);
    free = select(0u, ones_below(count - 32u), count > 32u);
{% endif %}
    // Four columns at a time: what those before do to one of them, every thread finds out for itself.
    let seeking_{{ half }} = left;
    for (var first = 0u; first < 32u; first += 4u) {
        if (((seeking_{{ half }} >> first) & 15u) == 0u) {
            continue;
        }
        if (lane / 4u == first / 4u) {
            current[side + lane % 4u] = column;
        }
        workgroupBarrier();
        if (lane < 32u) {
{% for q in range(4) %}
            var ones{{ q }} = current[side + {{ q }}u];
{% endfor %}
{% for q in range(4) %}
            let open{{ q }} = select(0u, ones{{ q }}.{{ half }} & free, ((seeking_{{ half }} >> (first + {{ q }}u)) & 1u) == 1u);
            let chosen{{ q }} = open{{ q }} & (~open{{ q }} + 1u);
            free &= ~chosen{{ q }};
            left &= ~select(0u, 1u << (first + {{ q }}u), chosen{{ q }} != 0u);
            var others{{ q }} = ones{{ q }};
            others{{ q }}.{{ half }} &= ~chosen{{ q }};
{% for p in range(q + 1, 4) %}
            if ((ones{{ p }}.{{ half }} & chosen{{ q }}) != 0u) {
                ones{{ p }} ^= others{{ q }};
            }
{% endfor %}
            if (lane == first + {{ q }}u) {
                if (chosen{{ q }} != 0u) {
                    row = {{ 0 if half == "x" else 32 }}u + firstTrailingBit(chosen{{ q }});
                }
            } else if ((column.{{ half }} & chosen{{ q }}) != 0u) {
                column ^= others{{ q }};
            }
{% endfor %}
        }
        side ^= 4u;
    }
{% endfor %}
    var result = start;
    result.bits = column;
    result.row = row;
    return result;
}
