// Finds the pivots of a block of 256 columns among {{ window_rows }} rows at most.
//
// A row, eight words here, is eliminated in place (Gauss-Jordan): where a pivot of column j is
// added, bit j stays one and says so. A row then has at columns with a pivot the pivots that were
// added to it, of their original form, and at the others what is left. That is the row's state,
// of rows in the window as of pivots.
//
// A word of 32 columns at a time:
//     1. of the first 64 rows with anything left, the columns, 64 bits each, go to 32 threads;
//     2. these eliminate: one barrier for several columns, the pivot the first row in order with a one;
//     3. all pivots of the word are added to all rows by tables of four bits.
//
// `last` is 0 where a look at more rows follows, 2 for that, and 1 where there is but one look.
{% if in_order %}
//
// The rows are those flagged, in order; a promoted row's own form, reduced by the pivots before
// its lead only, is kept as it is promoted, in the notes of the outcome: eight words a column.
{% endif %}

{% include "gf2/info.wgsl" %}
{% include "gf2/outcome.wgsl" %}

const WINDOW: u32 = {{ window_rows }}u;
const PICKED: u32 = 64u;

// Rows in the window, and how many there would be without its limit.
var<workgroup> window_rows: array<u32, WINDOW>;
var<workgroup> window_count: u32;
// By word of the block: columns that may get a pivot and have none; columns that have one.
var<workgroup> open: array<u32, 8>;
var<workgroup> present: array<u32, 8>;
// By column of the block: its slot of `info`.
var<workgroup> slots: array<u32, 256>;

// Rows of the window with anything left, by bits; then the number of them.
var<workgroup> left_over: array<atomic<u32>, 16>;
var<workgroup> left_count: u32;
// Of the picked rows: the word, and the column + 1 that it becomes the pivot of.
var<workgroup> picked: array<u32, 64>;
var<workgroup> won: array<u32, 64>;
// Columns of the word that get a pivot.
var<workgroup> gained_columns: atomic<u32>;
// What eight threads find out together, the share of thread k of column j at 32 k + j: the column's
// entries in the picked rows, then which original pivots make up the acting one.
var<workgroup> shares: array<u32, 256>;
// The columns of the picked rows after elimination; of rows as they were promoted.
var<workgroup> reduced: array<vec2<u32>, 32>;
{% if in_order %}
var<workgroup> frozen: array<vec2<u32>, 32>;
{% endif %}
// By column of the word: the picked row that is its pivot, or NONE.
var<workgroup> pivot_rows: array<u32, 32>;
{% if in_order %}
// Like `shares`: which original pivots make up the promoted row.
var<workgroup> own_shares: array<u32, 256>;
// Eight words each: the original pivots that make up the promoted row.
var<workgroup> own_rows: array<u32, 256>;
// By word of the block: columns whose pivot is a promoted row.
var<workgroup> promoted: array<atomic<u32>, 8>;
{% endif %}
// Eight words each: the pivots before and after.
var<workgroup> pivots: array<u32, 256>;
var<workgroup> acting: array<u32, 256>;
// Sums of four acting pivots, groups side by side: the low half of entry `nibble` of group g at
// 8 nibble + g, the high half 128 further on.
var<workgroup> sums: array<vec4<u32>, 256>;

{% include "gf2/row.wgsl" %}
{% include "gf2/columns.wgsl" %}
{% include "gf2/window.wgsl" %}

// The state of row k of the window.
fn load_row(k: u32) -> Row {
    if (k >= min(window_count, WINDOW)) {
        return Row();
    }
    let row = window_rows[k];
{% if window != "remainders" %}
    return Row(selections[row], selections[params.stride + row]);
{% else %}
    return Row(remainders[row], remainders[params.stride + row]);
{% endif %}
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) lane: u32) {
    let base = INFO * params.block;
    if (lane < 8u) {
        present[lane] = info[base + lane];
        open[lane] = info[base + ELIGIBLE + lane] & ~info[base + lane];
    }
    slots[lane] = info[base + SLOTS + lane];
    if (lane == 0u) {
        var is_idle = previous[FAILED] != 0u;
        if (is_idle) {
            outcome[FAILED] = previous[FAILED];
            outcome[BEFORE] = previous[BEFORE];
        }
        // A second look, where the first was enough.
        is_idle |= params.last == 2u && outcome[AGAIN] == 0u;
        left_count = u32(is_idle);
    }
    if (workgroupUniformLoad(&left_count) != 0u) {
        return;
    }
    find_window(lane);
{% if in_order %}
    if (lane < 8u) {
        atomicStore(&promoted[lane], 0u);
    }
    workgroupBarrier();
    if (slots[lane] < GIVEN) {
        atomicOr(&promoted[lane / 32u], 1u << (lane % 32u));
    }
{% endif %}
    workgroupBarrier();

    // A thread has rows lane and lane + 256 of the window, and the pivot of column lane.
    var row_a = load_row(lane);
    var row_b = load_row(lane + WORKGROUP);
    var lead_a = NONE;
    var lead_b = NONE;
    var pivot = Row();
    let state = 2u * (256u * params.block + lane);
    if (((present[lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        pivot = Row(states[state], states[state + 1u]);
    }

    // Without any row there is nothing to find.
    let row_count = workgroupUniformLoad(&window_count);
    for (var w = select(8u, 0u, row_count > 0u); w < 8u; w++) {
        loop {
            // The uniform load has a barrier before it and one after it.
            if (lane < 16u) {
                atomicStore(&left_over[lane], 0u);
            }
            let seeking = workgroupUniformLoad(&open[w]);
            if (seeking == 0u) {
                break;
            }
            // 1. Which rows have anything left at the open columns.
            let left_a = lead_a == NONE && (word_of(row_a, w) & seeking) != 0u;
            let left_b = lead_b == NONE && (word_of(row_b, w) & seeking) != 0u;
            if (left_a) {
                atomicOr(&left_over[lane / 32u], 1u << (lane % 32u));
            }
            if (left_b) {
                atomicOr(&left_over[8u + lane / 32u], 1u << (lane % 32u));
            }
            workgroupBarrier();
            // Their number, and the places of this thread's rows among them.
            var total = 0u;
            var rank_a = 0u;
            var rank_b = 0u;
{% for i in range(window_rows // 32) %}
{% if i == 8 %}
            rank_b = total;
{% endif %}
            let count{{ i }} = countOneBits(atomicLoad(&left_over[{{ i }}]));
            rank_{{ "a" if i < 8 else "b" }} += select(0u, count{{ i }}, lane / 32u > {{ i % 8 }}u);
            total += count{{ i }};
{% endfor %}
            rank_a += countOneBits(atomicLoad(&left_over[lane / 32u]) & ones_below(lane % 32u));
            rank_b += countOneBits(atomicLoad(&left_over[8u + lane / 32u]) & ones_below(lane % 32u));
            if (lane == 0u) {
                atomicStore(&gained_columns, 0u);
                left_count = total;
            }
            let found = workgroupUniformLoad(&left_count);
            if (found == 0u) {
                break;
            }
            rank_a = select(NONE, rank_a, left_a);
            rank_b = select(NONE, rank_b, left_b);
            if (rank_a < PICKED) {
                picked[rank_a] = word_of(row_a, w);
            }
            if (rank_b < PICKED) {
                picked[rank_b] = word_of(row_b, w);
            }
            if (lane < PICKED) {
                won[lane] = 0u;
                if (lane >= found) {
                    picked[lane] = 0u;
                }
            }
            workgroupBarrier();

            // 2. Thread j < 32 has column j of the picked rows, by bits.
            let of_column = lane % 32u;
            let share = lane / 32u;
            var entries = 0u;
{% for r in range(8) %}
            entries |= ((picked[8u * share + {{ r }}u] >> of_column) & 1u) << {{ r }}u;
{% endfor %}
            shares[lane] = entries;
            workgroupBarrier();
            var column = Column();
            if (lane < 32u) {
{% for i in range(4) %}
                column.bits.x |= shares[{{ 32 * i }}u + lane] << {{ 8 * i }}u;
                column.bits.y |= shares[{{ 32 * i + 128 }}u + lane] << {{ 8 * i }}u;
{% endfor %}
            }
            column = eliminate(column, seeking, found, lane);
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
            workgroupBarrier();
            let gained = atomicLoad(&gained_columns);

            // Which of the picked rows make up each pivot, and the pivots themselves.
            let pivot_row = pivot_rows[of_column];
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
            var column_a = NONE;
            var column_b = NONE;
            if (rank_a < PICKED && won[rank_a] != 0u) {
                column_a = won[rank_a] - 1u;
                lead_a = 32u * w + column_a;
                slots[lead_a] = window_rows[lane];
                write_pivot(column_a, row_a);
            }
            if (rank_b < PICKED && won[rank_b] != 0u) {
                column_b = won[rank_b] - 1u;
                lead_b = 32u * w + column_b;
                slots[lead_b] = window_rows[lane + 256u];
                write_pivot(column_b, row_b);
            }
            workgroupBarrier();

            // 3. Word lane % 8 of the acting pivot of column lane / 8.
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
                // No loop over the terms: loads that do not wait for each other are faster.
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
            workgroupBarrier();
{% if in_order %}
            if (my_row != NONE) {
                keep_own_form(w, lane);
            }
{% endif %}
            let nibble = lane % 16u;
            let group = lane / 16u % 8u;
            let half = lane / 128u;
            var sum = vec4<u32>();
            for (var bit = 0u; bit < 4u; bit++) {
                let at = 8u * (4u * group + bit) + 4u * half;
                let mask = 0u - ((nibble >> bit) & 1u);
                sum ^= vec4<u32>(acting[at], acting[at + 1u], acting[at + 2u], acting[at + 3u])
                    & vec4<u32>(mask);
            }
            sums[128u * half + 8u * nibble + group] = sum;
            workgroupBarrier();
            if (lane == 0u) {
                present[w] |= gained;
{% if in_order %}
                atomicOr(&promoted[w], gained);
{% endif %}
                open[w] &= ~gained;
            }
            row_a = reduce(row_a, gained, w, lane);
            row_b = reduce(row_b, gained, w, lane);
            pivot = reduce(pivot, gained, w, lane);
            if (column_a != NONE) {
                row_a = acting_row(column_a);
            }
            if (column_b != NONE) {
                row_b = acting_row(column_b);
            }
{% if in_order %}
            storageBarrier();
{% endif %}
            // All that had anything left were picked: nothing is left.
            if (found <= PICKED) {
                break;
            }
        }
    }

    // The states of the pivots, new ones from the rows that became them.
    if (((info[base + lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        states[state] = pivot.low;
        states[state + 1u] = pivot.high;
    }
    store_promoted(lane, lead_a, row_a);
    store_promoted(lane + 256u, lead_b, row_b);
    // All have read what is written from here on.
    storageBarrier();
    workgroupBarrier();
    info[base + SLOTS + lane] = slots[lane];
    if (lane < 8u) {
        info[base + lane] = present[lane];
    }
    finish(lane);
}

fn write_pivot(column: u32, row: Row) {
    let i = 8u * column;
    for (var k = 0u; k < 4u; k++) {
        pivots[i + k] = row.low[k];
        pivots[i + 4u + k] = row.high[k];
    }
}

// Row k of the window is the pivot of column `lead` of the block, if it has one.
fn store_promoted(k: u32, lead: u32, row: Row) {
    if (lead != NONE) {
        let state = 2u * (256u * params.block + lead);
        states[state] = row.low;
        states[state + 1u] = row.high;
{% if in_order %}
        let index = window_rows[k];
        leads[index] = 256u * params.block + lead;
        selections[index] = vec4<u32>();
        selections[params.stride + index] = vec4<u32>();
{% endif %}
    }
}

// Whether there may be pivots outside the window for columns that have none.
fn is_incomplete() -> bool {
    var any_open = 0u;
    for (var w = 0u; w < 8u; w++) {
        any_open |= open[w];
    }
    return any_open != 0u && window_count > WINDOW;
}

{% if in_order %}
{% include "gf2/in_order.wgsl" %}
{% else %}
{% include "gf2/moves.wgsl" %}
{% endif %}
