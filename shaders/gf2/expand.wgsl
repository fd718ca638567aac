// Rows given by the columns of their ones, descending, to tiles in which column c stands at place
// last - c. The matrix is zero before; one thread a row.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + lane;
    if (row >= params.rows) {
        return;
    }
    let first_place = 128u * params.part_tile;
    let end_place = first_place + 128u * params.part_tiles;
    var word = 0xffffffffu;
    var bits = 0u;
    let end = offsets[row + 1u];
    for (var i = offsets[row]; i < end; i++) {
        let place = params.last_place - indices[i];
        if (place >= end_place) {
            break;
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
