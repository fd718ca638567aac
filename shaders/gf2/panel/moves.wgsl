// The row permutation of a block. Its pivot rows p move right behind the pivot rows of earlier blocks, in
// the order of their columns. The other rows x that stood there move to the places of those pivots that
// came from behind:
//
//     rows      | pivots before | the block's `count` rows |      behind      |
//     before    |               |  p     x     p     x     |    p        p    |
//     after     |               |  p     p     p     p     |    x        x    |
//
// The outcome's notes are the number of rows x, then the old and the new place of each.

var<workgroup> unfinished: u32;
// By bits: the block's rows that are pivots of the block.
var<workgroup> taken: array<atomic<u32>, 8>;
// By bits: the columns whose pivot comes from behind the block's rows.
var<workgroup> behind: array<atomic<u32>, 8>;
// The old places of these pivots.
var<workgroup> sources: array<u32, 256>;

// With `which` = 0, the number of the block's rows before row `lane` that are no pivots; with 1, the number
// of columns before column `lane` whose pivots come from behind.
fn count_before(which: u32, lane: u32) -> u32 {
    var n = 0u;
    for (var i = 0u; i < lane / 32u; i++) {
        n += select(countOneBits(~atomicLoad(&taken[i])), countOneBits(atomicLoad(&behind[i])), which == 1u);
    }
    let last = select(~atomicLoad(&taken[lane / 32u]), atomicLoad(&behind[lane / 32u]), which == 1u);
    return n + countOneBits(last & ones_below(lane % 32u));
}

// Writes the outcome of the attempt and, if the block is complete, moves the selections.
fn finish(lane: u32) {
    let first = previous[DONE];
    if (lane == 0u) {
        unfinished = u32(is_incomplete());
        outcome[FAILED] = select(0u, params.block + 1u, params.attempt != FIRST_ATTEMPT && unfinished != 0u);
        outcome[BEFORE] = first;
        outcome[DONE] = first;
        outcome[AGAIN] = unfinished;
    }
    if (workgroupUniformLoad(&unfinished) != 0u) {
        return;
    }
    var count = 0u;
    for (var w = 0u; w < 8u; w++) {
        count += countOneBits(present[w]);
    }
    if (lane < 8u) {
        atomicStore(&taken[lane], 0u);
        atomicStore(&behind[lane], 0u);
    }
    workgroupBarrier();
    let row = slots[lane];
    let has_pivot = row != NONE;
    let stays = has_pivot && row < first + count;
    if (stays) {
        atomicOr(&taken[(row - first) / 32u], 1u << ((row - first) % 32u));
    }
    if (has_pivot && !stays) {
        atomicOr(&behind[lane / 32u], 1u << (lane % 32u));
    }
    workgroupBarrier();
    let goes = lane < count && ((atomicLoad(&taken[lane / 32u]) >> (lane % 32u)) & 1u) == 0u;
    var source_rank = 0u;
    var kept_low = vec4<u32>();
    var kept_high = vec4<u32>();
    if (goes) {
        source_rank = count_before(0u, lane);
        outcome[NOTES + 1u + 2u * source_rank] = first + lane;
        kept_low = selections[first + lane];
        kept_high = selections[params.stride + first + lane];
    }
    if (has_pivot && !stays) {
        let rank = count_before(1u, lane);
        outcome[NOTES + 2u + 2u * rank] = row;
        sources[rank] = row;
    }
    if (lane == 0u) {
        var moved = 0u;
        for (var w = 0u; w < 8u; w++) {
            moved += countOneBits(atomicLoad(&behind[w]));
        }
        outcome[NOTES] = moved;
        outcome[DONE] = first + count;
    }
    workgroupBarrier();
    // The selections move with the rows. Pivots select nothing.
    if (lane < count) {
        selections[first + lane] = vec4<u32>();
        selections[params.stride + first + lane] = vec4<u32>();
    }
    if (goes) {
        let place = sources[source_rank];
        selections[place] = kept_low;
        selections[params.stride + place] = kept_high;
    }
}
