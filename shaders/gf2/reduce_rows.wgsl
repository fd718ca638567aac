// Reduces the packed rows from `first_row` on by packed pivots. Of T threads, thread t takes the rows
// t, t + T, t + 2 T and so on:
//
//     while the row is not zero and a pivot has the row's lead (its highest column): add that pivot
//
// A row waits for the next dispatch once `steps` pivots were added, or if its next pivot is in a chunk that
// is not bound here. So dispatches are short, and the pivots may take several chunks.

const NONE: u32 = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    for (var row = params.first_row + thread; row < params.end_row; row += params.threads) {
        if (progress[row] != DONE) {
            reduce(row);
        }
    }
}

fn reduce(row: u32) {
    let first = row * params.width;
    // The words of the row from `below` on are zero.
    var below = progress[row];
    for (var step = 0u; step <= params.steps; step++) {
        while (below > 0u && rows[first + below - 1u] == 0u) {
            below--;
        }
        if (below == 0u) {
            leads[row] = NONE;
            progress[row] = DONE;
            return;
        }
        let lead = 32u * (below - 1u) + firstLeadingBit(rows[first + below - 1u]);
        let pivot = pivot_of[lead];
        if (pivot == NONE) {
            leads[row] = lead;
            progress[row] = DONE;
            return;
        }
        let bound = pivot - params.first_pivot;
        if (bound >= params.pivots || step == params.steps) {
            break;
        }
        for (var w = 0u; w < below; w++) {
            rows[first + w] ^= pivots[bound * params.width + w];
        }
    }
    progress[row] = below;
    atomicStore(&waiting, 1u);
}

const DONE: u32 = 0xffffffffu;
