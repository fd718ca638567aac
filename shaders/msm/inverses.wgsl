// Replaces elements by their inverses, by Fermat's theorem: a^(p - 2), square and multiply
// from the top bit. One multiplication in a loop serves for both.

{% include "big.wgsl" %}

const EXPONENT = array<u32, {{ exponent | length }}>({% for word in exponent %}{{ word }}u, {% endfor %});

fn big_inverse(a: Big) -> Big {
    // The top bit is the start.
    var r = a;
    var bit = {{ field.bits - 2 }}i;
    var multiply = false;
    var exponent = EXPONENT;
    while (bit >= 0) {
        r = big_mul(r, big_select(r, a, multiply));
        let is_set = ((exponent[bit >> 5u] >> u32(bit & 31)) & 1u) == 1u;
        multiply = !multiply && is_set;
        bit -= i32(!multiply);
    }
    return r;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.len) {
        return;
    }
    var w: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        w[i] = elements[thread * {{ field.lazy_words }}u + i];
    }
    w = big_pack_lazy(big_inverse(big_unpack_lazy(w)));
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        elements[thread * {{ field.lazy_words }}u + i] = w[i];
    }
}
