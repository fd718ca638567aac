// One step of a four-step transform (Bailey 1990): transforms of 2^{{ log_base }} words in workgroup
// memory, 2^{{ log_transforms }} of them per workgroup, and the twiddles between this step and the next.
//
// Of n = P N M words, P frequencies are done, N = 2^{{ log_base }} are this step's and M are left: word
// (q, m, i) of q < P, m < M, i < N becomes (q, m, k), times w^(k m P), w the n-th root. The
// transform with number r = q + P m has its words
{% if merged %}
// in places r + (n / N) i, and leaves them in places q + P (k + N m): the transposition that the next step
// needs is merged into the stores.
{% else %}
// in places N r + i, and leaves them there: transpositions are separate dispatches.
{% endif %}

{% include "ntt/arithmetic.wgsl" %}
{% if twisted %}
{% include "ntt/power.wgsl" %}
{% endif %}

const LOG_BASE: u32 = {{ log_base }}u;
const LOG_TRANSFORMS: u32 = {{ log_transforms }}u;
const WORDS: u32 = {{ words }}u;

var<workgroup> tile: array<u32, {{ tile_words }}>;

// The index in workgroup memory of word i of the tile.
fn place(i: u32) -> u32 {
{% if padded %}
    // A gap after every 32 words: strides of powers of two access different banks.
    return i + (i >> 5u);
{% else %}
    return i;
{% endif %}
}

// x times power j of the root of order N.
fn times_twiddle(x: u32, j: u32) -> u32 {
    var y = mul_const(x, twiddles[j]);
{% for multiple in reductions %}
    y = min(y, y - {{ multiple }}u);
{% endfor %}
    return y;
}

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
    let first = group << LOG_TRANSFORMS;

    for (var e = lane; e < WORDS; e += WORKGROUP) {
{% if merged %}
        let t = e & ((1u << LOG_TRANSFORMS) - 1u);
        let i = e >> LOG_TRANSFORMS;
        let x = source[first + t + (i << params.log_stride)];
{% else %}
        let t = e >> LOG_BASE;
        let i = e & ((1u << LOG_BASE) - 1u);
        let x = source[(first << LOG_BASE) + e];
{% endif %}
        tile[place((t << LOG_BASE) | (reverseBits(i) >> (32u - LOG_BASE)))] = x;
    }

    for (var stage = 0u; stage < LOG_BASE; stage++) {
        workgroupBarrier();
        for (var butterfly = lane; butterfly < WORDS / 2u; butterfly += WORKGROUP) {
            let half = 1u << stage;
            let j = butterfly & (half - 1u);
            let low = place(2u * (butterfly - j) + j);
            let high = place(2u * (butterfly - j) + j + half);
            let u = tile[low];
            let v = times_twiddle(tile[high], j << (LOG_BASE - 1u - stage));
            let sum = u + v;
            let difference = u - v;
            tile[low] = min(sum, sum - P);
            tile[high] = min(difference, difference + P);
        }
    }
    workgroupBarrier();

    for (var e = lane; e < WORDS; e += WORKGROUP) {
{% if scattered %}
        let t = e & ((1u << LOG_TRANSFORMS) - 1u);
        let k = e >> LOG_TRANSFORMS;
{% else %}
        let t = e >> LOG_BASE;
        let k = e & ((1u << LOG_BASE) - 1u);
{% endif %}
        let r = first + t;
        let q = r & ((1u << params.log_done) - 1u);
        let m = r >> params.log_done;
        var x = tile[place((t << LOG_BASE) | k)];
{% if twisted %}
        x = mul_var(x, power((k * m) << params.log_done));
{% endif %}
{% if merged %}
        target_words[q + ((k + (m << LOG_BASE)) << params.log_done)] = x;
{% else %}
        target_words[(r << LOG_BASE) + k] = x;
{% endif %}
    }
}
