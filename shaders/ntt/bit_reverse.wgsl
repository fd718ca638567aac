// Reorders vectors of n = 2^log_n words from natural to bit-reversed order, or back.
//
// A vector longer than a binding is reordered by pairs of its chunks: a dispatch writes those words of
// `target`, which begins at target_place in its vector, that come from `source`.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + lane;
    if (i >= params.len) {
        return;
    }
    let mask = (1u << params.log_n) - 1u;
    let place = (params.target_place + i) & mask;
    let came_from = reverseBits(place) >> (32u - params.log_n);
    // This is below len only if the word lies in this chunk; otherwise the difference wraps.
    let from_source = (i & ~mask) + came_from - params.source_place;
    if (from_source < params.len) {
        target_words[i] = source_words[from_source];
    }
}
