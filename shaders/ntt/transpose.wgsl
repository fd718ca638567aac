// Transposes a matrix by tiles of 32 x 32 words through workgroup memory: rows of memory are read and written whole.
//
// A matrix longer than a binding is transposed by pairs of chunks, one of it and one of its transpose. A dispatch
// covers a rectangle of the matrix that has every word of `source` which belongs to `target_words`, and leaves out the
// others. The offsets are the indices of the rectangle's first word, modulo 2^32: an index before the first word of a
// chunk is past its end, too.

// Words between the rows of a tile: one more than 32, so that columns meet different banks.
const PITCH: u32 = 33u;

var<workgroup> tile: array<u32, 1056>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.group_count) {
        return;
    }
    let tiles_across = (params.width + 31u) >> 5u;
    let top = (group / tiles_across) << 5u;
    let left = (group % tiles_across) << 5u;

    let x = lane & 31u;
    for (var y = lane >> 5u; y < 32u; y += WORKGROUP / 32u) {
        let row = top + y;
        let column = left + x;
        let from_word = params.source_offset + row * params.columns + column;
        if (row < params.height && column < params.width && from_word < params.source_len) {
            tile[y * PITCH + x] = source[from_word];
        }
    }
    workgroupBarrier();
    for (var y = lane >> 5u; y < 32u; y += WORKGROUP / 32u) {
        let row = top + x;
        let column = left + y;
        let from_word = params.source_offset + row * params.columns + column;
        let to_word = params.target_offset + column * params.rows + row;
        let is_inside = row < params.height && column < params.width;
        if (is_inside && from_word < params.source_len && to_word < params.target_len) {
            target_words[to_word] = tile[x * PITCH + y];
        }
    }
}
