// Transforms of 64 words in workgroup memory, natural order on both sides: 4 per workgroup, 32 invocations
// each, of which every one does one radix-2 butterfly in each of six stages (Cooley and Tukey 1965).
//
//   x --> tile, bit-reversed --> stage 0 --> ... --> stage 5 --> X        a barrier after each of these
//
{% if ablation == "none" %}
// Nothing is left out.
{% else %}
// Left out, to measure how long it takes: {{ ablation }}. The result is no transform.
{% endif %}

{% include "ntt/arithmetic.wgsl" %}

{% if in_workgroup_memory %}
var<workgroup> tile: array<u32, 256>;

// The index in workgroup memory of word i of the tile.
fn place(i: u32) -> u32 {
{% if skewed %}
    // The upper half of each transform is mirrored. The 32 words of one access agree in one bit of i, and
    // those of the two halves then have different values of it: they are in 32 different banks.
    return i ^ (31u * ((i >> 5u) & 1u));
{% else %}
    return i;
{% endif %}
}

// Stage `stage` of the transform whose words begin at `base`: butterfly number j.
fn step(base: u32, j: u32, stage: u32) {
    let half = 1u << stage;
    let k = j & (half - 1u);
    let low = place(base + 2u * (j - k) + k);
    let high = place(base + 2u * (j - k) + k + half);
    let u = tile[low];
{% if butterflies %}
{% if twiddles_read %}
    var v = mul_const(tile[high], twiddles[k << (5u - stage)]);
{% else %}
    var v = mul_const(tile[high], vec2<u32>(params.twiddle, params.twiddle_quotient));
{% endif %}
{% for multiple in reductions %}
    v = min(v, v - {{ multiple }}u);
{% endfor %}
    let sum = u + v;
    let difference = u - v;
    tile[low] = min(sum, sum - P);
    tile[high] = min(difference, difference + P);
{% else %}
    // The words change places, so that the accesses remain.
    tile[low] = tile[high];
    tile[high] = u;
{% endif %}
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.group_count) {
        return;
    }
    let t = 4u * group + (lane >> 5u);
    let j = lane & 31u;

{% if global_memory %}
    var x = 0u;
    var y = 0u;
    if (t < params.transforms) {
        x = source[64u * t + j];
        y = source[64u * t + j + 32u];
    }
{% else %}
    // Words that no compiler can know before the kernel runs, below 64 < p.
    var x = j ^ (t & 63u);
    var y = (j + 32u) ^ (t & 63u);
{% endif %}

{% if in_workgroup_memory %}
    let base = 64u * (lane >> 5u);
    let reversed = reverseBits(j) >> 26u;
    tile[place(base + reversed)] = x;
    tile[place(base + reversed + 1u)] = y;
{% for stage in range(6) %}
    workgroupBarrier();
    step(base, j, {{ stage }}u);
{% endfor %}
    workgroupBarrier();
    x = tile[place(base + j)];
    y = tile[place(base + j + 32u)];
{% endif %}

    // All transforms are stored, or, to leave out global memory, none: a choice made when the kernel runs.
    if (t < params.stored) {
        target_words[64u * t + j] = x;
        target_words[64u * t + j + 32u] = y;
    }
}
