// Transforms of 64 words in registers, natural order on both sides: 4 per workgroup, 8 invocations each, of
// which every one holds 8 words and does two radix-8 transforms. With i = a + 8 b and k = c + 8 d,
//
//   X[c + 8 d] = sum over a of w^(8 a d) ( w^(a c) sum over b of w^(8 b c) x[a + 8 b] )
//
// Invocation a does the inner sum for all c, and invocation c the outer one for all d. Between the two, the
// words pass through workgroup memory. A radix-8 transform leaves frequency {0, 4, 2, 6, 1, 5, 3, 7}[r] in
// register r.

{% include "ntt/arithmetic.wgsl" %}

// Words between two rows of a transform's tile: row c has the words of frequency c.
{% if skewed %}
// With 9, the accesses of 32 invocations are in 32 different banks.
{% endif %}
const PITCH: u32 = {{ pitch }}u;

var<workgroup> tile: array<u32, {{ 32 * pitch }}>;

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
    let t = 4u * group + (lane >> 3u);
    let q = lane & 7u;
    let base = 8u * PITCH * (lane >> 3u);
    let first = 64u * t + q;
    var s = 0u;

{% for b in range(8) %}
    var x{{ b }} = 0u;
{% endfor %}
    if (t < params.transforms) {
{% for b in range(8) %}
        x{{ b }} = source[first + {{ 8 * b }}u];
{% endfor %}
    }
{% for c in frequencies %}
{% if c > 0 %}
    let o{{ loop.index0 }} = twiddles[{{ c }}u * q];
{% endif %}
{% endfor %}
{{ inner }}
{% for c in frequencies %}
    tile[base + {{ c }}u * PITCH + q] = x{{ loop.index0 }};
{% endfor %}
    workgroupBarrier();
{% for a in range(8) %}
    x{{ a }} = tile[base + q * PITCH + {{ a }}u];
{% endfor %}
{{ outer }}
    if (t < params.transforms) {
{% for d in frequencies %}
        target_words[first + {{ 8 * d }}u] = x{{ loop.index0 }};
{% endfor %}
    }
}
