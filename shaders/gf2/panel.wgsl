// Finds the pivots of a block of 256 columns among at most {{ window_rows }} rows, the window.
//
// In the block a row is eight words. Rows are eliminated in place (Gauss-Jordan), but where the pivot
// of column j is added to a row, bit j of the row is set instead of cleared. So the bits of a row become
//     at a column with a pivot     1 if the pivot, in its original form, was added to the row
//     at any other column          the row's remainder
// These bits are the row's state. Pivots have states, too: they tell which original pivots make up the
// acting pivot, the form of a pivot that is added to other rows.
//
//     load the block; find the window                                   panel/block, panel/window
//     for each word w of the block (32 columns):
//         while rows of the window have ones in open columns of word w:
//             1. pick the first 64 such rows                            panel/picking
//             2. eliminate their words w, a thread a column             panel/columns
//                and put the acting pivots of the word together         panel/acting
//             3. add the acting pivots to the rows of the window        panel/reducing, panel/row
//                and to the pivots of the block, by tables of sums
//     store the states                                                  panel/block
//     note which rows move, or what a promoted row consists of          panel/moves, panel/in_order
//
// A column is open if it may get a pivot and has none. Its pivot is the first row, in order, with a one
// there.
//
// A block may take two attempts, since the window is limited; `attempt` says which one this is. The
// second one does nothing if the first found all pivots.
{% if in_order %}
//
// The window is the flagged rows, in order. A row is final once promoted: only pivots before its lead
// reduce it. The notes of the outcome name these pivots, eight words a column.
{% endif %}

{% include "gf2/info.wgsl" %}
{% include "gf2/outcome.wgsl" %}

const WINDOW: u32 = {{ window_rows }}u;
const PICKED: u32 = 64u;

// The attempts: one that another follows, one alone, and one that follows another.
const FIRST_ATTEMPT: u32 = 0u;
const ONLY_ATTEMPT: u32 = 1u;
const SECOND_ATTEMPT: u32 = 2u;

// The rows of the window, and their number if the window had no limit.
var<workgroup> window_rows: array<u32, WINDOW>;
var<workgroup> window_count: u32;
// By word of the block: the open columns; the columns that have a pivot.
var<workgroup> open: array<u32, 8>;
var<workgroup> present: array<u32, 8>;
// By column of the block: its slot of `info`.
var<workgroup> slots: array<u32, 256>;

// By bits: the rows of the window with ones in open columns of the word. Then the number of these rows.
var<workgroup> left_over: array<atomic<u32>, 16>;
var<workgroup> left_count: u32;
// By picked row: its word w; 1 + the column whose pivot it becomes, or 0.
var<workgroup> picked: array<u32, 64>;
var<workgroup> won: array<u32, 64>;
// By bits: the columns of the word that get a pivot.
var<workgroup> gained_columns: atomic<u32>;
// Words that eight threads a column make together; thread k of column j has its share at 32 k + j. First
// the entries of the column in the picked rows, then the original pivots that make up its acting pivot.
var<workgroup> shares: array<u32, 256>;
// The columns of the picked rows after elimination{{ "; as each row was when promoted" if in_order else "" }}.
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
// By column of the word, eight words each: the original pivots; the acting pivots.
var<workgroup> pivots: array<u32, 256>;
var<workgroup> acting: array<u32, 256>;
// The sums of each four acting pivots: the low half of entry `nibble` of group g stands at 8 nibble + g,
// the high half 128 further on.
var<workgroup> sums: array<vec4<u32>, 256>;

{% include "gf2/panel/row.wgsl" %}
{% include "gf2/panel/columns.wgsl" %}
{% include "gf2/panel/window.wgsl" %}

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

    // A thread holds rows `lane` and `lane + 256` of the window, and the pivot of column `lane`.
    var row_a = load_row(lane);
    var row_b = load_row(lane + WORKGROUP);
    var lead_a = NONE;
    var lead_b = NONE;
    var pivot = load_pivot(lane);

    // An empty window has no pivots.
    let row_count = workgroupUniformLoad(&window_count);
    for (var w = select(8u, 0u, row_count > 0u); w < 8u; w++) {
        loop {
            // The uniform load includes a barrier before it and one after it.
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
            // If all rows with ones in open columns were picked, none are left.
            if (found <= PICKED) {
                break;
            }
        }
    }

    store_pivot(pivot, lane);
    store_promoted(lane, lead_a, row_a);
    store_promoted(lane + 256u, lead_b, row_b);
    // All threads have finished reading the data that are written from here on.
    storageBarrier();
    workgroupBarrier();
    store_info(lane);
    finish(lane);
}

{% include "gf2/panel/block.wgsl" %}
{% include "gf2/panel/picking.wgsl" %}
{% include "gf2/panel/acting.wgsl" %}
{% include "gf2/panel/reducing.wgsl" %}
{% if in_order %}
{% include "gf2/panel/in_order.wgsl" %}
{% else %}
{% include "gf2/panel/moves.wgsl" %}
{% endif %}
