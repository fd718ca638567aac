// The second half of a prefix sum: replaces every number by the sum of all numbers before it. That is the sum
// of those in its tile of 2048 numbers plus `before[tile]`, the sum of the earlier tiles.

{% include "scan_workgroup.wgsl" %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = workgroup_index(id, count);
    let first = tile * 2048u + lane * 8u;
    var own: array<u32, 8>;
    var sum = 0u;
{% for i in range(8) %}
    if (first + {{ i }}u < params.len) {
        own[{{ i }}] = numbers[first + {{ i }}u];
    }
    sum += own[{{ i }}];
{% endfor %}
    let prefix = scan_workgroup(lane, sum);
    if (tile >= params.group_count) {
        return;
    }
    var running = before[tile] + prefix.before;
{% for i in range(8) %}
    if (first + {{ i }}u < params.len) {
        numbers[first + {{ i }}u] = running;
    }
    running += own[{{ i }}];
{% endfor %}
}
