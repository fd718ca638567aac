// A matrix of 2^log_rows rows by 2^log_columns columns, transposed by tiles of {{ rows }} x {{ columns }} words through
// workgroup memory: {{ columns }} neighbouring words are read and {{ rows }} are written.
{% if twisted %}
// Word (r, c) is multiplied by w^(r c), w the root whose order is the number of words: the twiddles between
// the two steps of a four-step transform (Bailey 1990).
{% endif %}

{% if twisted %}
{% include "ntt/arithmetic.wgsl" %}
{% include "ntt/power.wgsl" %}
{% endif %}

const LOG_TILE_ROWS: u32 = {{ log_rows }}u;
const LOG_TILE_COLUMNS: u32 = {{ log_columns }}u;
const WORDS: u32 = {{ rows * columns }}u;

var<workgroup> tile: array<u32, {{ tile_words }}>;

// The index in workgroup memory of word i of the tile.
fn place(i: u32) -> u32 {
{% if gap > 0 %}
    // A gap after every 32 words: the words of a column are in different banks.
    return i + {{ gap }}u * (i >> 5u);
{% else %}
    return i;
{% endif %}
}

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
    let log_tiles_across = max(params.log_columns, LOG_TILE_COLUMNS) - LOG_TILE_COLUMNS;
    let top = (group >> log_tiles_across) << LOG_TILE_ROWS;
    let left = (group & ((1u << log_tiles_across) - 1u)) << LOG_TILE_COLUMNS;

    for (var i = lane; i < WORDS; i += WORKGROUP) {
        let r = top + (i >> LOG_TILE_COLUMNS);
        let c = left + (i & ((1u << LOG_TILE_COLUMNS) - 1u));
        if (r < rows && c < columns) {
            var x = source[(r << params.log_columns) + c];
{% if twisted %}
            x = mul_var(x, power(r * c));
{% endif %}
            tile[place(i)] = x;
        }
    }
    workgroupBarrier();
    for (var i = lane; i < WORDS; i += WORKGROUP) {
        let y = i & ((1u << LOG_TILE_ROWS) - 1u);
        let x = i >> LOG_TILE_ROWS;
        if (top + y < rows && left + x < columns) {
            target_words[((left + x) << params.log_rows) + top + y] = tile[place((y << LOG_TILE_COLUMNS) | x)];
        }
    }
}
