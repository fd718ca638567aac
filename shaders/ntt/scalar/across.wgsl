{% set names = ["first", "second", "third", "fourth"][:pieces] %}
// Combines pieces of a vector that no single binding holds: the butterflies of a transform on {{ "one digit" if pieces == 2 else "two digits" }} of the numbers of
// pieces. Thread i has scalar i of {{ pieces }} pieces, whose numbers differ in these digits.
//
//     frequency   (x, y) -> (x + s y, x - s y), from the higher digit down; then weights
//     time        weights; then (x, y) -> (x + y, (x - y) s), from the lower digit up
//
// A pair of pieces has one s for all places. The step next to the transforms of the pieces also multiplies scalar i of each by
// a weight, first ratio^i, as a product of two entries. Which s, first and ratio, says src/ntt/scalar/gpu/pieces.rs. Scalars
// are below r before and after.
//
//     table   | s of each pair | powers of the first piece's weights: low, high | of the second piece's | ...

{% include "ntt/scalar/field.wgsl" %}

fn entry(at: u32) -> Big {
    return scalar_of(tables[2u * at], tables[2u * at + 1u]);
}

// s x, below r; or x, if s is 1.
fn times(x: Big, pair: u32) -> Big {
    if (((params.unit_pairs >> pair) & 1u) == 1u) {
        return x;
    }
    return big_canonical(big_mul(x, entry(pair)));
}

// Scalar i of a piece with its weight: below r for x below 4 r.
fn weighted(x: Big, piece: u32, i: u32) -> Big {
    var y = x;
    if (((params.unit_pieces >> piece) & 1u) == 0u) {
        let weights = {{ pieces - 1 }}u + piece * params.weights;
        var at = weights + (i & ((1u << params.log_low_weights) - 1u));
        for (var level = 0u; level < 2u; level++) {
            y = big_mul(y, entry(at));
            at = weights + (1u << params.log_low_weights) + (i >> params.log_low_weights);
        }
    }
    return big_canonical_4(y);
}
{# The scalars of the first level are below r, and those of the second below 2 r, as `difference` expects. #}
{% macro butterfly(a, b, pair, difference) %}
    {
{% if time %}
        let difference = {{ difference }}(x{{ a }}, x{{ b }});
        x{{ a }} = sum(x{{ a }}, x{{ b }});
        x{{ b }} = times(difference, {{ pair }}u);
{% else %}
        let y = times(x{{ b }}, {{ pair }}u);
        x{{ b }} = {{ difference }}(x{{ a }}, y);
        x{{ a }} = sum(x{{ a }}, y);
{% endif %}
    }
{% endmacro %}

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
{% for name in names %}
    var x{{ loop.index0 }} = scalar_of({{ name }}_piece[2u * i], {{ name }}_piece[2u * i + 1u]);
{% endfor %}
{% if time %}
{% for name in names %}
    x{{ loop.index0 }} = weighted(x{{ loop.index0 }}, {{ loop.index0 }}u, i);
{% endfor %}
{% endif %}
{% if pieces == 2 %}
{{ butterfly(0, 1, 0, "big_sub") }}
{% elif time %}
{{ butterfly(0, 1, 1, "big_sub") }}
{{ butterfly(2, 3, 2, "big_sub") }}
{{ butterfly(0, 2, 0, "big_sub_2p") }}
{{ butterfly(1, 3, 0, "big_sub_2p") }}
{% else %}
{{ butterfly(0, 2, 0, "big_sub") }}
{{ butterfly(1, 3, 0, "big_sub") }}
{{ butterfly(0, 1, 1, "big_sub_2p") }}
{{ butterfly(2, 3, 2, "big_sub_2p") }}
{% endif %}
{% for name in names %}
    {
        let w = big_pack_canonical({{ "big_canonical_4(x" ~ loop.index0 ~ ")" if time else "weighted(x" ~ loop.index0 ~ ", " ~ loop.index0 ~ "u, i)" }});
        {{ name }}_piece[2u * i] = vec4(w[0], w[1], w[2], w[3]);
        {{ name }}_piece[2u * i + 1u] = vec4(w[4], w[5], w[6], w[7]);
    }
{% endfor %}
}
