// Copies chosen rows of a matrix from tiles to packed words. Each row has a first valid tile; tiles before
// it are copied as zeros.
{% if reversed %}
// The order of the columns is reversed.
{% endif %}
//
// A workgroup of 256 threads does 32 rows of 8 tiles, so that it reads and writes runs of memory.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    let tile_groups = (params.part_tiles + 7u) / 8u;
    let k = 32u * (index / tile_groups) + lane % 32u;
    let in_part = 8u * (index % tile_groups) + lane / 32u;
    if (k >= params.rows || in_part >= params.part_tiles) {
        return;
    }
    let tile = params.part_tile + in_part;
    var bits = vec4<u32>();
    if (tile >= rows[k].y) {
        bits = matrix[in_part * params.stride + rows[k].x];
    }
{% if reversed %}
    words[k * params.tiles + params.tiles - 1u - tile] = reverseBits(bits.wzyx);
{% else %}
    words[k * params.tiles + tile] = bits;
{% endif %}
}
