// Finds the pivots of a block of 256 columns among at most {{ window_rows }} rows, the window.
//
// In the block a row is eight words. Rows are eliminated in place (Gauss-Jordan), but where the pivot
// of column j is added to a row, bit j of the row is set. So the row ends with
//     at a column that has a pivot    whether the pivot, in its original form, was added to the row
//     at any other column             what is left of the row
// This is the row's state. Pivots have states, too.
//
//     load the block; find the window
//     for each word w of the block, 32 columns:
//         while rows of the window have ones in open columns of the word, those without a pivot:
//             1. pick the first 64 such rows; thread j takes column j of their words w
//             2. eliminate these columns (columns.wgsl): a column's pivot is the first row in order
//                with a one; put the acting pivots together, each reduced by the others of the word
//             3. reduce all rows of the window and all pivots of the block by the acting pivots, with
//                tables of the sums of four
//     store the states; finish
//
// `attempt` says whether another attempt follows this one. The second does nothing where the first
// found all pivots.
{% if in_order %}
//
// The window is the flagged rows, in order. A row is final once promoted: in its own form it is reduced
// only by pivots before its lead. The outcome's notes record these, eight words a column.
{% endif %}

{% include "gf2/info.wgsl" %}
{% include "gf2/outcome.wgsl" %}

const WINDOW: u32 = {{ window_rows }}u;
const PICKED: u32 = 64u;

// The attempts: one that another follows, one alone, and one that follows another.
const FIRST_ATTEMPT: u32 = 0u;
const ONLY_ATTEMPT: u32 = 1u;
const SECOND_ATTEMPT: u32 = 2u;

// Rows in the window, and how many there would be without its limit.
var<workgroup> window_rows: array<u32, WINDOW>;
var<workgroup> window_count: u32;
// By word of the block: columns that may get a pivot and have none; columns that have one.
var<workgroup> open: array<u32, 8>;
var<workgroup> present: array<u32, 8>;
// By column of the block: its slot of `info`.
var<workgroup> slots: array<u32, 256>;

// By bits: the rows of the window with ones in open columns of the word; then the number of them.
var<workgroup> left_over: array<atomic<u32>, 16>;
var<workgroup> left_count: u32;
// By picked row: its word; 1 + the column that it becomes the pivot of, or 0.
var<workgroup> picked: array<u32, 64>;
var<workgroup> won: array<u32, 64>;
// Columns of the word that get a pivot.
var<workgroup> gained_columns: atomic<u32>;
// Words that eight threads put together, the share of thread k of column j at 32 k + j: the entries of
// the column in the picked rows; then the original pivots that make up its acting pivot.
var<workgroup> shares: array<u32, 256>;
// The columns of the picked rows after elimination{{ "; at the time of promotion" if in_order else "" }}.
var<workgroup> reduced: array<vec2<u32>, 32>;
{% if in_order %}
var<workgroup> frozen: array<vec2<u32>, 32>;
{% endif %}
// By column of the word: the picked row that is its pivot, or NONE.
var<workgroup> pivot_rows: array<u32, 32>;
{% if in_order %}
// Like `shares`: the original pivots that make up the promoted row.
var<workgroup> own_shares: array<u32, 256>;
// By column of the word, eight words each: the original pivots that make up the promoted row.
var<workgroup> own_rows: array<u32, 256>;
// By word of the block: columns whose pivot is a promoted row.
var<workgroup> promoted: array<atomic<u32>, 8>;
{% endif %}
// By column of the word, eight words each: the original pivots, and the acting ones.
var<workgroup> pivots: array<u32, 256>;
var<workgroup> acting: array<u32, 256>;
// Sums of four acting pivots, groups side by side: the low half of entry `nibble` of group g at
// 8 nibble + g, the high half 128 further on.
var<workgroup> sums: array<vec4<u32>, 256>;

{% include "gf2/row.wgsl" %}
{% include "gf2/columns.wgsl" %}
{% include "gf2/window.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) lane: u32) {
    load_block(lane);
    if (is_idle(lane)) {
        return;
    }
    find_window(lane);
{% if in_order %}
    find_promoted(lane);
{% endif %}
    workgroupBarrier();

    // A thread has rows lane and lane + 256 of the window, and the pivot of column lane.
    var row_a = load_row(lane);
    var row_b = load_row(lane + WORKGROUP);
    var lead_a = NONE;
    var lead_b = NONE;
    var pivot = load_pivot(lane);

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

            // 1. Pick rows.
            let left_a = lead_a == NONE && (word_of(row_a, w) & seeking) != 0u;
            let left_b = lead_b == NONE && (word_of(row_b, w) & seeking) != 0u;
            note_left_over(left_a, left_b, lane);
            workgroupBarrier();
            let places = places_of(lane);
            if (lane == 0u) {
                atomicStore(&gained_columns, 0u);
                left_count = places.total;
            }
            let found = workgroupUniformLoad(&left_count);
            if (found == 0u) {
                break;
            }
            let rank_a = select(NONE, places.a, left_a);
            let rank_b = select(NONE, places.b, left_b);
            pick(word_of(row_a, w), rank_a);
            pick(word_of(row_b, w), rank_b);
            clear_others(found, lane);
            workgroupBarrier();
            share_entries(lane);
            workgroupBarrier();

            // 2. Eliminate the columns of the picked rows, and put the acting pivots together.
            let column = eliminate(load_column(lane), seeking, found, lane);
            note_column(column, lane);
            workgroupBarrier();
            let gained = atomicLoad(&gained_columns);
            share_terms(lane);
            let column_a = take_column(lane, rank_a, row_a, w);
            let column_b = take_column(lane + 256u, rank_b, row_b, w);
            lead_a = select(lead_a, 32u * w + column_a, column_a != NONE);
            lead_b = select(lead_b, 32u * w + column_b, column_b != NONE);
            workgroupBarrier();
            make_acting_word(gained, w, lane);
            workgroupBarrier();
{% if in_order %}
            if (column.row != NONE) {
                keep_own_form(w, lane);
            }
{% endif %}

            // 3. Reduce rows and pivots.
            make_sum(lane);
            workgroupBarrier();
            if (lane == 0u) {
                close_columns(gained, w);
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
            // All rows with anything left were picked: nothing is left.
            if (found <= PICKED) {
                break;
            }
        }
    }

    store_pivot(pivot, lane);
    store_promoted(lane, lead_a, row_a);
    store_promoted(lane + 256u, lead_b, row_b);
    // All have read what is written from here on.
    storageBarrier();
    workgroupBarrier();
    store_info(lane);
    finish(lane);
}

// ---- Before and after the search ----

// The masks and slots of the block's columns.
fn load_block(lane: u32) {
    let base = INFO * params.block;
    if (lane < 8u) {
        present[lane] = info[base + lane];
        open[lane] = info[base + ELIGIBLE + lane] & ~info[base + lane];
    }
    slots[lane] = info[base + SLOTS + lane];
}

// Whether there is nothing to do: after a failure, or for a second attempt if the first was enough.
fn is_idle(lane: u32) -> bool {
    if (lane == 0u) {
        var idle = previous[FAILED] != 0u;
        if (idle) {
            outcome[FAILED] = previous[FAILED];
            outcome[BEFORE] = previous[BEFORE];
        }
        idle |= params.attempt == SECOND_ATTEMPT && outcome[AGAIN] == 0u;
        left_count = u32(idle);
    }
    return workgroupUniformLoad(&left_count) != 0u;
}

{% if in_order %}
// The columns whose pivot is a promoted row, not an eliminator.
fn find_promoted(lane: u32) {
    if (lane < 8u) {
        atomicStore(&promoted[lane], 0u);
    }
    workgroupBarrier();
    if (slots[lane] < GIVEN) {
        atomicOr(&promoted[lane / 32u], 1u << (lane % 32u));
    }
}

{% endif %}
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

// Where the state of the pivot of a column of the block is.
fn state_at(column: u32) -> u32 {
    return 2u * (256u * params.block + column);
}

// The state of the pivot that column `lane` had before, if any.
fn load_pivot(lane: u32) -> Row {
    var pivot = Row();
    if (((present[lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        pivot = Row(states[state_at(lane)], states[state_at(lane) + 1u]);
    }
    return pivot;
}

fn store_pivot(pivot: Row, lane: u32) {
    let base = INFO * params.block;
    if (((info[base + lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        states[state_at(lane)] = pivot.low;
        states[state_at(lane) + 1u] = pivot.high;
    }
}

// Row k of the window is the pivot of column `lead` of the block, if it has one.
fn store_promoted(k: u32, lead: u32, row: Row) {
    if (lead != NONE) {
        states[state_at(lead)] = row.low;
        states[state_at(lead) + 1u] = row.high;
{% if in_order %}
        let index = window_rows[k];
        leads[index] = 256u * params.block + lead;
        selections[index] = vec4<u32>();
        selections[params.stride + index] = vec4<u32>();
{% endif %}
    }
}

fn store_info(lane: u32) {
    let base = INFO * params.block;
    info[base + SLOTS + lane] = slots[lane];
    if (lane < 8u) {
        info[base + lane] = present[lane];
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

// ---- 1. Picking rows ----

// Notes whether this thread's two rows have ones in open columns of the word.
fn note_left_over(left_a: bool, left_b: bool, lane: u32) {
    if (left_a) {
        atomicOr(&left_over[lane / 32u], 1u << (lane % 32u));
    }
    if (left_b) {
        atomicOr(&left_over[8u + lane / 32u], 1u << (lane % 32u));
    }
}

// The number of rows left over, and how many of them come before this thread's two rows.
struct Places {
    total: u32,
    a: u32,
    b: u32,
}

fn places_of(lane: u32) -> Places {
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
    return Places(total, rank_a, rank_b);
}

// Picks the row of this rank by its word.
fn pick(word: u32, rank: u32) {
    if (rank < PICKED) {
        picked[rank] = word;
    }
}

// No picked row has won a column yet, and places past the last picked row are zero.
fn clear_others(found: u32, lane: u32) {
    if (lane < PICKED) {
        won[lane] = 0u;
        if (lane >= found) {
            picked[lane] = 0u;
        }
    }
}

// The entries of column lane % 32 in eight picked rows.
fn share_entries(lane: u32) {
    let of_column = lane % 32u;
    let share = lane / 32u;
    var entries = 0u;
{% for r in range(8) %}
    entries |= ((picked[8u * share + {{ r }}u] >> of_column) & 1u) << {{ r }}u;
{% endfor %}
    shares[lane] = entries;
}

// ---- 2. Pivots ----

// Thread j < 32 has column j of the picked rows.
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

// Notes an eliminated column, and which row won it.
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

// Which of four original pivots make up the acting pivot of column lane % 32{{ ", and its promoted row" if in_order else "" }}.
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

// The column of the word that row k of the window, picked by this rank, becomes the pivot of, or NONE.
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

// Word lane % 8 of the acting pivot of column lane / 8.
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
}

// ---- 3. Reduction ----

// Half an entry of the tables of sums.
fn make_sum(lane: u32) {
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
}

// The columns that got a pivot are no longer open.
fn close_columns(gained: u32, w: u32) {
    present[w] |= gained;
{% if in_order %}
    atomicOr(&promoted[w], gained);
{% endif %}
    open[w] &= ~gained;
}

{% if in_order %}
{% include "gf2/in_order.wgsl" %}
{% else %}
{% include "gf2/moves.wgsl" %}
{% endif %}
