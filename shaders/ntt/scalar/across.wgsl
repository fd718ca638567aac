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

{% set form = narrow if int64 else wide %}
{% include "ntt/scalar/lazy.wgsl" %}

// s x, or x reduced, if s is 1.
fn times(x: Lazy, pair: u32) -> Lazy {
    if (((params.unit_pairs >> pair) & 1u) == 1u) {
        return reduced(x);
    }
    return product(x, factor(pair));
}

// Scalar i of a piece with its weight: x, or a product.
fn weighted(x: Lazy, piece: u32, i: u32) -> Lazy {
    var y = x;
    if (((params.unit_pieces >> piece) & 1u) == 0u) {
        let weights = {{ pieces - 1 }}u + piece * params.weights;
        var at = weights + (i & ((1u << params.log_low_weights) - 1u));
        // Two, but no compiler knows, so that there is one product in the kernel.
        let levels = 2u * min(params.group_count, 1u);
        for (var level = 0u; level < levels; level++) {
            y = product(y, factor(at));
            at = weights + (1u << params.log_low_weights) + (i >> params.log_low_weights);
        }
    }
    return y;
}
{% macro butterfly(a, b, pair) %}
    {
{% if time %}
        let minus = difference(x{{ a }}, x{{ b }});
        x{{ a }} = sum(x{{ a }}, x{{ b }});
        x{{ b }} = times(minus, {{ pair }}u);
{% else %}
        let y = times(x{{ b }}, {{ pair }}u);
        x{{ b }} = difference(x{{ a }}, y);
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
    var x{{ loop.index0 }} = lazy_of({{ name }}_piece[2u * i], {{ name }}_piece[2u * i + 1u]);
{% endfor %}
{% if time %}
{% for name in names %}
    x{{ loop.index0 }} = weighted(x{{ loop.index0 }}, {{ loop.index0 }}u, i);
{% endfor %}
{% endif %}
{% if pieces == 2 %}
{{ butterfly(0, 1, 0) }}
{% elif time %}
{{ butterfly(0, 1, 1) }}
{{ butterfly(2, 3, 2) }}
    // Sums: below 9 r, with limbs below 2^{{ form.bits + 1 }}. One is to be added to, and the other to be taken away.
    x0 = settled(x0);
    x2 = reduced(x2);
{{ butterfly(0, 2, 0) }}
{{ butterfly(1, 3, 0) }}
{% else %}
{{ butterfly(0, 2, 0) }}
{{ butterfly(1, 3, 0) }}
    // Below {{ cover_multiple + 1 }} r.
    x0 = settled(x0);
    x2 = settled(x2);
{{ butterfly(0, 1, 1) }}
{{ butterfly(2, 3, 2) }}
{% endif %}
{% for name in names %}
    {
        let x = canonical(reduced({{ "x" ~ loop.index0 if time else "weighted(x" ~ loop.index0 ~ ", " ~ loop.index0 ~ "u, i)" }}));
        {{ name }}_piece[2u * i] = low_words(x);
        {{ name }}_piece[2u * i + 1u] = high_words(x);
    }
{% endfor %}
}
