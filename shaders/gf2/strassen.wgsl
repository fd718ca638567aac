// Adds up blocks for {{ levels }} of the levels of Strassen's recursion; src/gf2/gpu/strassen.rs has the method.
//
// A matrix is cut into {{ side }} x {{ side }} blocks of `block_rows` rows and `block_tiles` tiles; {{ products }} products
// of sums of blocks give the product. A thread does one word of a place in all blocks, so that every word is
// read and written once:
//
{% if form == "product" %}
//     for each product: add its word at the place to the sum of every block that it belongs to
//     write the sums to the blocks
{% else %}
//     read the blocks' words at the place
//     for each product: write the sum of the words of the blocks that its factor is the sum of
{% endif %}
{% if form == "right" %}
//
// Places are in 256 rows, and the sums go to the places of the acting pivots of an update.
{% endif %}
//
// Rows and tiles past the matrix's end, or outside this part of it, count as zero.

struct Place {
    row: u32,
    tile: u32,
    word: u32,
}

fn place_of(at: u32) -> Place {
{% if form == "right" %}
    return Place(at / 4u % 256u, at / 1024u, at % 4u);
{% else %}
    let row = at / 4u;
    return Place(row % params.block_rows, params.first_tile + row / params.block_rows, at % 4u);
{% endif %}
}

// The place's word in the matrix, in the block in row i and column j of blocks; no word has the number 2^32 - 1.
const NOWHERE: u32 = 0xffffffffu;

fn in_block(i: u32, j: u32, place: Place) -> u32 {
    let row = params.first_row + i * params.block_rows + place.row;
    let tile = j * params.block_tiles + place.tile;
    if (row >= params.rows || tile < params.part_tile || tile >= params.end_tile) {
        return NOWHERE;
    }
    return 4u * ((tile - params.part_tile) * params.stride + row) + place.word;
}

// The place's word in the stack of products.
fn in_stack(product: u32, place: Place) -> u32 {
{% if form == "right" %}
    // Acting pivot 8 group + bit stands at 32 bit + group.
    let pivot = 32u * (place.row % 8u) + place.row / 8u;
    return 4u * (256u * (product * params.block_tiles + place.tile) + pivot) + place.word;
{% else %}
    let row = product * params.block_rows + place.row;
    return 4u * ((place.tile - params.first_tile) * params.stack_stride + row) + place.word;
{% endif %}
}
{% if form == "product" %}

fn store(i: u32, j: u32, place: Place, sum: u32) {
    let at = in_block(i, j, place);
    if (at != NOWHERE) {
        matrix[at] = sum;
    }
}
{% else %}

fn value(i: u32, j: u32, place: Place) -> u32 {
    let at = in_block(i, j, place);
    if (at == NOWHERE) {
        return 0u;
    }
    return matrix[at];
}

// Parts of a matrix come one after the other; those after the first add to what is there.
fn put(product: u32, place: Place, sum: u32) {
    let at = in_stack(product, place);
    if (params.adds == 0u) {
        stack[at] = sum;
    } else {
        stack[at] ^= sum;
    }
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count);
    if (index >= params.group_count) {
        return;
    }
    let place = place_of(WORKGROUP * index + lane);
{% if form == "product" %}
{% for i in range(side) %}
{% for j in range(side) %}
    var sum{{ side * i + j }} = 0u;
{% endfor %}
{% endfor %}
{% for blocks in sums %}
    let word{{ loop.index0 }} = stack[in_stack({{ loop.index0 }}u, place)];
{% set product = loop.index0 %}
{% for block in blocks %}
    sum{{ block }} ^= word{{ product }};
{% endfor %}
{% endfor %}
{% for i in range(side) %}
{% for j in range(side) %}
    store({{ i }}u, {{ j }}u, place, sum{{ side * i + j }});
{% endfor %}
{% endfor %}
{% else %}
{% for i in range(side) %}
{% for j in range(side) %}
    let block{{ side * i + j }} = value({{ i }}u, {{ j }}u, place);
{% endfor %}
{% endfor %}
{% for blocks in sums %}
    put({{ loop.index0 }}u, place, {% for block in blocks %}{{ "" if loop.first else " ^ " }}block{{ block }}{% endfor %});
{% endfor %}
{% endif %}
}
