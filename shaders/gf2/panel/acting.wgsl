// Step 2 of the panel: the acting pivots of a word, from its eliminated columns.
//
//     acting pivot of column j = the sum of the original pivots whose rows the elimination added to
//                                the pivot's row, itself included
//
// Eight threads a column collect the terms of this sum; then one thread computes each word of it.

// Puts together column `lane` of the picked rows, for threads below 32.
fn load_column(lane: u32) -> Column {
    var column = Column();
    if (lane < 32u) {
{% for i in range(4) %}
        column.bits.x |= shares[{{ 32 * i }}u + lane] << {{ 8 * i }}u;
        column.bits.y |= shares[{{ 32 * i + 128 }}u + lane] << {{ 8 * i }}u;
{% endfor %}
    }
    return column;
}

// Notes an eliminated column and the row that is its pivot.
fn note_column(column: Column, lane: u32) {
    let my_row = column.row;
    if (lane < 32u) {
        reduced[lane] = column.bits;
        pivot_rows[lane] = my_row;
{% if in_order %}
        frozen[lane] = column.own;
{% endif %}
        if (my_row != NONE) {
            won[my_row] = lane + 1u;
            atomicOr(&gained_columns, 1u << lane);
        }
    }
}

// Collects four terms of the acting pivot of column lane % 32{{ " and of its promoted row" if in_order else "" }}.
fn share_terms(lane: u32) {
    let share = lane / 32u;
    let pivot_row = pivot_rows[lane % 32u];
    var terms_share = 0u;
{% if in_order %}
    var own_share = 0u;
{% endif %}
{% for k in range(4) %}
    terms_share |= entry_at(reduced[4u * share + {{ k }}u], pivot_row) << {{ k }}u;
{% if in_order %}
    own_share |= entry_at(frozen[4u * share + {{ k }}u], pivot_row) << {{ k }}u;
{% endif %}
{% endfor %}
    shares[lane] = terms_share;
{% if in_order %}
    own_shares[lane] = own_share;
{% endif %}
}

// The column of the word whose pivot is row k of the window, picked with this rank, or NONE. Stores that
// pivot in its original form.
fn take_column(k: u32, rank: u32, row: Row, w: u32) -> u32 {
    var column = NONE;
    if (rank < PICKED && won[rank] != 0u) {
        column = won[rank] - 1u;
        slots[32u * w + column] = window_rows[k];
        write_pivot(column, row);
    }
    return column;
}

fn write_pivot(column: u32, row: Row) {
    let i = 8u * column;
    for (var k = 0u; k < 4u; k++) {
        pivots[i + k] = row.low[k];
        pivots[i + 4u + k] = row.high[k];
    }
}

// Computes word lane % 8 of the acting pivot of column lane / 8.
fn make_acting_word(gained: u32, w: u32, lane: u32) {
    let j = lane / 8u;
    let i = lane % 8u;
    acting[lane] = 0u;
    if (((gained >> j) & 1u) == 1u) {
        var terms = 0u;
{% if in_order %}
        var own_terms = 0u;
{% endif %}
{% for k in range(8) %}
        terms |= shares[{{ 32 * k }}u + j] << {{ 4 * k }}u;
{% if in_order %}
        own_terms |= own_shares[{{ 32 * k }}u + j] << {{ 4 * k }}u;
{% endif %}
{% endfor %}
        terms &= gained;
{% if in_order %}
        own_terms &= gained & (ones_below(j) | (1u << j));
{% endif %}
        // Unrolled, not a loop over the terms: loads that do not wait for each other are faster.
        var sum = 0u;
{% if in_order %}
        var own_sum = 0u;
{% endif %}
{% for k in range(32) %}
        let pivot{{ k }} = pivots[{{ 8 * k }}u + i];
        sum ^= select(0u, pivot{{ k }}, ((terms >> {{ k }}u) & 1u) == 1u);
{% if in_order %}
        own_sum ^= select(0u, pivot{{ k }}, ((own_terms >> {{ k }}u) & 1u) == 1u);
{% endif %}
{% endfor %}
        acting[lane] = select(sum, (sum & ~gained) | terms, i == w);
{% if in_order %}
        own_rows[lane] = (own_sum & present[i]) | select(0u, own_terms, i == w);
{% endif %}
    }
}
