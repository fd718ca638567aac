// Writes rows given by lists, the columns of their ones in descending order, to tiles. Column c stands at
// place last_place - c. The matrix is zero before.
//
// A thread does a share of SHARE ones of a row. A word whose ones belong to two shares is written by the
// thread of the first one:
//
//     words    |    w    |      w + 1      |   w + 2   |
//     ones     | 1  1  1 | 1   1 ' 1   1   | 1   1   1 |
//     share    |    t         t  '            t + 1          thread t writes all of word w + 1
//
// Long lists are shared since some drivers silently end a loop after 65,535 iterations.

const SHARE: u32 = {{ share }}u;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count) * WORKGROUP + lane;
    let row = index / params.shares;
    if (row >= params.rows) {
        return;
    }
    let first_place = 128u * params.part_tile;
    let end_place = first_place + 128u * params.part_tiles;
    var word = 0xffffffffu;
    var bits = 0u;
    let start = offsets[row];
    let end = offsets[row + 1u];
    let first = start + SHARE * (index % params.shares);
    if (first >= end) {
        return;
    }
    // The word of the last one before this share is written by the thread before.
    var others = 0xffffffffu;
    if (first > start) {
        others = (params.last_place - indices[first - 1u]) / 32u;
    }
    var last = 0xffffffffu;
    if (first + SHARE < end) {
        last = (params.last_place - indices[first + SHARE - 1u]) / 32u;
    }
    for (var i = first; i < end; i++) {
        let place = params.last_place - indices[i];
        if (place >= end_place || (i >= first + SHARE && place / 32u != last)) {
            break;
        }
        if (place / 32u == others) {
            continue;
        }
        if (place >= first_place) {
            let next = (place - first_place) / 32u;
            if (next != word) {
                write_word(row, word, bits);
                word = next;
                bits = 0u;
            }
            bits |= 1u << (place % 32u);
        }
    }
    write_word(row, word, bits);
}

fn write_word(row: u32, word: u32, bits: u32) {
    if (bits != 0u) {
        matrix[4u * ((word / 4u) * params.stride + params.first_row + row) + word % 4u] = bits;
    }
}
