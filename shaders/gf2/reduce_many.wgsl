// Brings many matrices of one shape to reduced row echelon form (Gauss-Jordan), a workgroup each, with pivots in the
// first `limit` columns.
//
//     for each word w of these columns, a panel:
//         for each of its columns:
//             pivot = the first row that is no pivot yet and has a one there
//             add the pivot to every other row with a one there, in the panel
//         for each row, in the words after w:
//             add the panel's pivots that the row took, as they were before the panel
//
// A row's `taken` says which pivots it took: the second step looks their sums up, four pivots at a time. Rows stay in
// their places. The outcome of a matrix is its rank, then the column and the row of each pivot.

const NONE: u32 = 0xffffffffu;
const MOST_ROWS: u32 = {{ most_rows }}u;
// Words of all rows that are updated at a time.
const CHUNK: u32 = 8u;
// Eight groups of four pivots, 16 sums each, CHUNK words a sum.
const SUMS: u32 = 1024u;

// By row: its word of the panel; by bits, the pivots of the panel that were added to it.
var<workgroup> panel: array<u32, MOST_ROWS>;
var<workgroup> taken: array<u32, MOST_ROWS>;
// By column of the panel: the row that becomes the pivot, or NONE.
var<workgroup> chosen: array<atomic<u32>, 32>;
// The rows of the panel's pivots, in order.
var<workgroup> pivots: array<u32, 32>;
var<workgroup> sums: array<u32, SUMS>;
// The panel's pivots, and those of all panels so far.
var<workgroup> counts: vec2<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let matrix = workgroup_index(id, count);
    if (matrix >= params.matrices) {
        return;
    }
    let start = matrix * params.rows * params.width;
    let outcome = matrix * params.outcome;
    // Bit i: row `lane + WORKGROUP i` is a pivot.
    var is_pivot = 0u;
    var rank = 0u;
    for (var w = 0u; 32u * w < params.limit; w++) {
        if (lane < 32u) {
            atomicStore(&chosen[lane], NONE);
        }
        for (var row = lane; row < params.rows; row += WORKGROUP) {
            panel[row] = matrices[start + row * params.width + w];
            taken[row] = 0u;
        }
        workgroupBarrier();

        var found = 0u;
        let columns = min(32u, params.limit - 32u * w);
        for (var column = 0u; column < columns; column++) {
            choose(column, is_pivot, lane);
            // One barrier a column suffices: no row changes between it and the reading of the pivot, and the pivot changes
            // only after the next one.
            workgroupBarrier();
            let pivot = atomicLoad(&chosen[column]);
            if (pivot != NONE) {
                add_to_others(pivot, column, found, lane);
                if (pivot % WORKGROUP == lane) {
                    is_pivot |= 1u << (pivot / WORKGROUP);
                    pivots[found] = pivot;
                    outcomes[outcome + 1u + 2u * rank] = 32u * w + column;
                    outcomes[outcome + 2u + 2u * rank] = pivot;
                }
                found++;
                rank++;
            }
        }
        for (var row = lane; row < params.rows; row += WORKGROUP) {
            matrices[start + row * params.width + w] = panel[row];
        }
        if (lane == 0u) {
            counts = vec2(found, rank);
        }

        // The uniform load includes a barrier before it and one after it.
        let reached = workgroupUniformLoad(&counts);
        if (reached.x > 0u) {
            for (var first = w + 1u; first < params.words; first += CHUNK) {
                make_sums(start, first, reached.x, lane);
                workgroupBarrier();
                add_sums(start, first, lane);
                workgroupBarrier();
            }
        }
        // The next panel reads words that other threads have written.
        storageBarrier();
        // Without another row, no later column has a pivot.
        if (reached.y == params.rows) {
            break;
        }
    }
    if (lane == 0u) {
        outcomes[outcome] = rank;
    }
}

// Notes the first row of this thread that may become the pivot of a column of the panel.
fn choose(column: u32, is_pivot: u32, lane: u32) {
    var i = 0u;
    for (var row = lane; row < params.rows; row += WORKGROUP) {
        if (((panel[row] >> column) & 1u) == 1u && ((is_pivot >> i) & 1u) == 0u) {
            atomicMin(&chosen[column], row);
            break;
        }
        i++;
    }
}

// Adds a pivot, the panel's `found`-th, to the other rows of this thread with a one in its column.
fn add_to_others(pivot: u32, column: u32, found: u32, lane: u32) {
    let word = panel[pivot];
    let terms = taken[pivot] ^ (1u << found);
    for (var row = lane; row < params.rows; row += WORKGROUP) {
        if (row != pivot && ((panel[row] >> column) & 1u) == 1u) {
            panel[row] ^= word;
            taken[row] ^= terms;
        }
    }
}

// Makes the sums of each four pivots, as they were before the panel, for CHUNK words from `first` on.
fn make_sums(start: u32, first: u32, found: u32, lane: u32) {
    for (var at = lane; at < SUMS; at += WORKGROUP) {
        let word = first + at % CHUNK;
        let terms = at / CHUNK % 16u;
        let group = at / CHUNK / 16u;
        var sum = 0u;
        for (var k = 0u; k < 4u; k++) {
            let pivot = 4u * group + k;
            if (((terms >> k) & 1u) == 1u && pivot < found && word < params.words) {
                sum ^= matrices[start + pivots[pivot] * params.width + word];
            }
        }
        sums[at] = sum;
    }
}

// Adds to every row the pivots that it took, for CHUNK words from `first` on.
fn add_sums(start: u32, first: u32, lane: u32) {
    for (var at = lane; at < params.rows * CHUNK; at += WORKGROUP) {
        let row = at / CHUNK;
        let word = first + at % CHUNK;
        let terms = taken[row];
        if (word < params.words && terms != 0u) {
            var sum = 0u;
            for (var group = 0u; group < 8u; group++) {
                sum ^= sums[(16u * group + ((terms >> (4u * group)) & 15u)) * CHUNK + at % CHUNK];
            }
            matrices[start + row * params.width + word] ^= sum;
        }
    }
}
