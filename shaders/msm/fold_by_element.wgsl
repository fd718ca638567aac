// Adds up the partial sums of buckets that many slices share, as fold.wgsl does, with a thread for each element of a sum. One
// thread a slice looks whether the slice is the first of a block; then the workgroup adds up the blocks that it has found.

{% include "msm/by_element.wgsl" %}
{% include "msm/bucket.wgsl" %}
{% include "msm/split_bucket.wgsl" %}
{% include "msm/folded.wgsl" %}
{% set sum = "r[0u][lane]" if kept == "all" else "sum" %}
{% from "msm/point_memory.wgsl" import one_loader, one_storer %}
{{ one_loader("load_sum", "sums", 4, field) }}
{{ one_storer("store_sum", "sums", 4, field) }}

// The slices that lead blocks, and their number.
var<workgroup> leaders: array<u32, WORKGROUP>;
var<workgroup> leader_count: atomic<u32>;
var<workgroup> leader_count_of_all: u32;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (lane == 0u) {
        atomicStore(&leader_count, 0u);
    }
    workgroupBarrier();
    let candidate = workgroup_index(id, count) * WORKGROUP + lane;
    if (leads_block(candidate)) {
        leaders[atomicAdd(&leader_count, 1u)] = candidate;
    }
    workgroupBarrier();
    if (lane == 0u) {
        leader_count_of_all = atomicLoad(&leader_count);
    }
    let leader_end = workgroupUniformLoad(&leader_count_of_all);
    let which = lane % SUM;
    for (var block = 0u; block < leader_end; block += WORKGROUP / SUM) {
        let number = block + lane / SUM;
        let leads = number < leader_end;
        let leader = leaders[select(0u, number, leads)];
        let bucket = bucket_at(leader * params.slice);
        var slice = leader;
        {{ sum if kept == "all" else "var sum" }} = load_sum(params.all_buckets + 2u * leader, which);
        loop {
            slice += params.step;
            let goes_on = leads && slice < leader + params.block && begins_within(slice, bucket);
            if (!any_of_workgroup(lane, goes_on)) {
                break;
            }
            var point = BIG_ZERO;
            if (goes_on) {
                point = load_sum(params.all_buckets + 2u * slice, which);
            }
            // Infinity, of entries of nothing, is common.
            if (any_of_workgroup(lane, big_has_limbs(point))) {
{% if kept == "all" %}
                r[1u][lane] = point;
                add_second(lane);
{% else %}
                sum = sum_of(lane, sum, point);
{% endif %}
            }
        }
        if (leads) {
            store_sum(params.all_buckets + 2u * leader, which, {{ sum }});
        }
    }
}
