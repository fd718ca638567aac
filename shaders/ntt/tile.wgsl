// A tile of {{ 2 ** log_rows }} rows by {{ 2 ** log_columns }} columns in workgroup memory, see src/ntt/gpu/tile.rs.
//
// A step has a window of {{ log_registers }} bits of the row number. A thread holds {{ 2 ** log_registers }} rows of one
// column: those whose bits outside the window are the thread's number q. Elements are swizzled so that 32
// threads of one window access 32 different banks.

const LOG_ROWS: u32 = {{ log_rows }}u;
const LOG_COLUMNS: u32 = {{ log_columns }}u;
const WORDS: u32 = {{ words }}u;

var<workgroup> tile: array<u32, {{ words }}>;

// A permutation of the tile's words that spreads accesses over the memory banks.
fn swizzle(i: u32) -> u32 {
    return i ^ ((i >> 3u) & 28u) ^ ((i >> 4u) & 24u) ^ ((i >> 5u) & 23u) ^ ((i >> 7u) & 2u) ^ ((i >> 9u) & 15u);
}

// The row in register 0 of thread q, if the window begins at bit w.
fn row_of(q: u32, w: u32) -> u32 {
    let low = q & ((1u << w) - 1u);
    return ((q - low) << {{ log_registers }}u) | low;
}

// The place of an element in the tile, in bytes, so that an access takes an exclusive or and no shift.
fn place(row: u32, column: u32) -> u32 {
{% if layout == "interleaved" %}
    return swizzle((row << LOG_COLUMNS) | column) << 2u;
{% else %}
    return swizzle((column << LOG_ROWS) | row) << 2u;
{% endif %}
}
