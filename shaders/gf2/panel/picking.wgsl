// Step 1 of the panel: picks the first rows of the window with ones in open columns of a word.

// Notes which of this thread's two rows have ones in open columns of the word.
fn note_left_over(left_a: bool, left_b: bool, lane: u32) {
    if (left_a) {
        atomicOr(&left_over[lane / 32u], 1u << (lane % 32u));
    }
    if (left_b) {
        atomicOr(&left_over[8u + lane / 32u], 1u << (lane % 32u));
    }
}

// The number of noted rows, and how many of them come before each of this thread's two rows.
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

// Picks the row of this rank: keeps its word.
fn pick(word: u32, rank: u32) {
    if (rank < PICKED) {
        picked[rank] = word;
    }
}

// Clears the columns won by picked rows, and the words past the last picked row.
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
