// The first half of a prefix sum: computes the total of every tile of 2048 numbers.

{% include "scan_workgroup.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = workgroup_index(id, count);
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) {
        let at = tile * 2048u + i * 256u + lane;
        if (at < params.len) {
            sum += numbers[at];
        }
    }
    let prefix = scan_workgroup(lane, sum);
    if (lane == 0u && tile < params.group_count) {
        totals[tile] = prefix.total;
    }
}
