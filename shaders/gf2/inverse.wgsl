// Computes the states of a block's eliminators (see panel.wgsl): reduces each by the others of the block, in
// place. An eliminator has no ones before its lead, so the last one acts first:
//
//     for j = 255 down to 0, if column j is a lead:
//         for each other row with a one in column j: add row j to it, and keep its bit j set
//
// One workgroup of 256 threads a block; a thread has the row of one column.

{% include "gf2/info.wgsl" %}

var<workgroup> current: array<vec4<u32>, 4>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    if (index >= params.group_count) {
        return;
    }
    let block = params.first_block + index;
    let position = 256u * index + lane;
    var low = vec4<u32>();
    var high = vec4<u32>();
    // The state of a column without an eliminator is a unit vector.
    if (!has_eliminator(position)) {
        if (lane < 128u) {
            low[lane / 32u] = 1u << (lane % 32u);
        } else {
            high[lane / 32u - 4u] = 1u << (lane % 32u);
        }
    }
    let end = offsets[position + 1u];
    for (var i = offsets[position]; i < end; i++) {
        let place = params.last_place - indices[i] - 256u * block;
        if (place >= 256u) {
            break;
        }
        if (place < 128u) {
            low[place / 32u] |= 1u << (place % 32u);
        } else {
            high[place / 32u - 4u] |= 1u << (place % 32u);
        }
    }
    for (var k = 0u; k < 256u; k++) {
        let j = 255u - k;
        let at = 2u * (k % 2u);
        if (lane == j) {
            current[at] = low;
            current[at + 1u] = high;
        }
        workgroupBarrier();
        let side = select(low, high, j >= 128u);
        if (lane != j && ((side[j / 32u % 4u] >> (j % 32u)) & 1u) == 1u && has_eliminator(position - lane + j)) {
            low ^= current[at];
            high ^= current[at + 1u];
            if (j < 128u) {
                low[j / 32u] |= 1u << (j % 32u);
            } else {
                high[j / 32u - 4u] |= 1u << (j % 32u);
            }
        }
    }
    let state = 2u * (256u * block + lane);
    states[state] = low;
    states[state + 1u] = high;
}

fn has_eliminator(position: u32) -> bool {
    return offsets[position] != offsets[position + 1u];
}
