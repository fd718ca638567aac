{% if window == "first" %}
// Finds the window: the rows after the pivot rows.
fn find_window(lane: u32) {
    let first = previous[DONE];
    for (var k = lane; k < WINDOW; k += WORKGROUP) {
        window_rows[k] = first + k;
    }
    if (lane == 0u) {
        window_count = params.rows - first;
    }
}
{% else %}
var<workgroup> flagged_before: array<u32, 256>;

// Finds the window: the first flagged rows, in order. Clears the flags.
fn find_window(lane: u32) {
    let words = (params.rows + 31u) / 32u;
    let share = (words + WORKGROUP - 1u) / WORKGROUP;
    let begin = min(share * lane, words);
    let end = min(begin + share, words);
    var own = 0u;
    for (var i = begin; i < end; i++) {
        own += countOneBits(flags[i]);
    }
    // Prefix sums over the threads, in steps of 1, 2, 4, ...
    flagged_before[lane] = own;
    workgroupBarrier();
    for (var step = 1u; step < WORKGROUP; step *= 2u) {
        var sum = flagged_before[lane];
        if (lane >= step) {
            sum += flagged_before[lane - step];
        }
        workgroupBarrier();
        flagged_before[lane] = sum;
        workgroupBarrier();
    }
    var rank = flagged_before[lane] - own;
    if (lane == WORKGROUP - 1u) {
        window_count = flagged_before[lane];
    }
    for (var i = begin; i < end; i++) {
        for (var rest = flags[i]; rest != 0u && rank < WINDOW; rest &= rest - 1u) {
            window_rows[rank] = 32u * i + firstTrailingBit(rest);
            rank++;
        }
        flags[i] = 0u;
    }
}
{% endif %}
