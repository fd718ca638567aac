// Counts the occurrences of each digit in every tile of 2048 keys: counts[(segment, digit, tile)]. In this
// order, the prefix sum of the counts gives the places of a stable sort. A segment is one of the equally
// long lists that are sorted at once, each by itself.

var<workgroup> bins: array<atomic<u32>, 256>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    let segment = group / params.tiles;
    let tile = group % params.tiles;
    atomicStore(&bins[lane], 0u);
    workgroupBarrier();
    if (group < params.group_count) {
        for (var i = 0u; i < 8u; i++) {
            let at = tile * 2048u + i * 256u + lane;
            if (at < params.segment_len) {
                let key = keys[segment * params.segment_len + at];
                atomicAdd(&bins[(key >> params.shift) & params.mask], 1u);
            }
        }
    }
    workgroupBarrier();
    if (group < params.group_count && lane <= params.mask) {
        counts[(segment * (params.mask + 1u) + lane) * params.tiles + tile] = atomicLoad(&bins[lane]);
    }
}
