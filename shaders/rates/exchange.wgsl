// The threads of a workgroup give each other a word through workgroup memory and wait, again and again.

var<workgroup> words_of_all: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    var x = thread;
    for (var i = 0u; i < params.rounds; i++) {
        words_of_all[lane] = x;
        workgroupBarrier();
        x += words_of_all[(lane + 1u) % WORKGROUP];
        workgroupBarrier();
    }
    // Never true, but no compiler can know that.
    if (x == params.never && thread == params.never) {
        sink[0] = x;
    }
}
