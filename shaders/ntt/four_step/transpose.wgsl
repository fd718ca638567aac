// Matrices of 2^log_rows rows by 2^log_columns columns, one after the other, transposed by
// tiles of 32 x 32 words through workgroup memory: rows of memory are read and written whole.

// Words between the rows of a tile{{ ": one more than 32, so that columns meet different banks" if padded else "" }}.
const PITCH: u32 = {{ pitch }}u;

var<workgroup> tile: array<u32, {{ 32 * pitch }}>;

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
    let rows = 1u << params.log_rows;
    let columns = 1u << params.log_columns;
    let tiles_across = (columns + 31u) >> 5u;
    let tiles = tiles_across * ((rows + 31u) >> 5u);
    let matrix = (group / tiles) << (params.log_rows + params.log_columns);
    let top = (group % tiles / tiles_across) << 5u;
    let left = (group % tiles_across) << 5u;

    let x = lane & 31u;
    for (var y = lane >> 5u; y < 32u; y += WORKGROUP / 32u) {
        if (top + y < rows && left + x < columns) {
            tile[y * PITCH + x] = source[matrix + ((top + y) << params.log_columns) + left + x];
        }
    }
    workgroupBarrier();
    for (var y = lane >> 5u; y < 32u; y += WORKGROUP / 32u) {
        if (left + y < columns && top + x < rows) {
            target_words[matrix + ((left + y) << params.log_rows) + top + x] = tile[x * PITCH + y];
        }
    }
}
