// Brings scalars that lie in pieces by the lowest digits of their indices into the order of their indices: scalar j of the piece of
// residue q becomes scalar 2^log_count j + q. A dispatch writes to one buffer, from up to four pieces of residues that follow one
// another. Each thread moves half of a scalar, so that threads that are neighbours write what is contiguous.

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
    let half = i & 1u;
    let residue = (i >> 1u) & ((1u << params.log_sources) - 1u);
    let place = i >> (1u + params.log_sources);
    let at = 2u * (params.first + place) + half;
    var x: vec4<u32>;
    switch (residue) {
        case 0u: {
            x = first_piece[at];
        }
        case 1u: {
            x = second_piece[at];
        }
        case 2u: {
            x = third_piece[at];
        }
        default: {
            x = fourth_piece[at];
        }
    }
    let index = (place << params.log_count) | (params.first_residue + residue);
    target_scalars[2u * index + half] = x;
}
