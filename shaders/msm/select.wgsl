// Copies affine points from a table to another: point `first + i` of the copy is point places[i] of the table. Points are of
// `vectors` vectors of four words, each of which a thread copies.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.points * params.vectors) {
        return;
    }
    let point = thread / params.vectors;
    let part = thread % params.vectors;
    copied[(params.first + point) * params.vectors + part] = points[places[point] * params.vectors + part];
}
