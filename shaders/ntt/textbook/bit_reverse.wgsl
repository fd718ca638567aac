// Vectors of 2^log_n words into bit-reversed order, in place: words swap in pairs.

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
    let place = i & ((1u << params.log_n) - 1u);
    let other = reverseBits(place) >> (32u - params.log_n);
    if (place < other) {
        let j = i - place + other;
        let x = data[i];
        data[i] = data[j];
        data[j] = x;
    }
}
