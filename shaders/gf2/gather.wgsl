// Reduces sparse rows by all eliminators, in the columns without one: adds up the reduced forms of the ones
// of each row (see elsewhere.wgsl).
//
// A dispatch does `span` ones of each row, from number `begin` on, since some drivers silently end a loop
// after 65,535 iterations. `lanes` neighbouring threads do `lanes` neighbouring tiles of one row, so that
// they read runs of memory.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    let rows_a_group = WORKGROUP / params.lanes;
    let tile_groups = (params.count + params.lanes - 1u) / params.lanes;
    let row = rows_a_group * (index / tile_groups) + lane / params.lanes;
    let k = params.lanes * (index % tile_groups) + lane % params.lanes;
    if (lane / params.lanes >= rows_a_group || row >= params.rows || k >= params.count) {
        return;
    }
    let tile = params.first_reduced + k;
    let at = (params.first_tile + k) * params.stride + params.first_row + row;
    // Earlier dispatches stored the sum over the ones before `begin`.
    var sum = vec4<u32>();
    if (params.begin > 0u) {
        sum = matrix[at];
    }
    var i = offsets[row] + params.begin;
    let end = min(offsets[row + 1u], i + params.span);
    // Four at a time, so that their loads do not wait for each other.
    for (; i + 4u <= end; i += 4u) {
        let a = reduced[(params.last_place - indices[i]) * params.tiles + tile];
        let b = reduced[(params.last_place - indices[i + 1u]) * params.tiles + tile];
        let c = reduced[(params.last_place - indices[i + 2u]) * params.tiles + tile];
        let d = reduced[(params.last_place - indices[i + 3u]) * params.tiles + tile];
        sum ^= (a ^ b) ^ (c ^ d);
    }
    for (; i < end; i++) {
        sum ^= reduced[(params.last_place - indices[i]) * params.tiles + tile];
    }
    matrix[at] = sum;
}
