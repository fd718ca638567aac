// Replaces every scalar by its inverse, and leaves 0 as it is. Thread t has the scalars t, t + threads, ... and one
// inversion for all of them (Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", 1987):
//
//     forward    keep the product of the scalars before each, zeros left out
//     invert     the product of all, as its power r - 2 (Fermat)
//     backward   the inverse of the scalar is (the inverse of the product up to it) (the product before it)

{% include "ntt/scalar/field.wgsl" %}
{% include "ntt/scalar/store.wgsl" %}

// 1 in the host's form. A function, as the exponent below is written word by word: the HLSL that naga writes defines the
// constructor of an array once for constants, once for functions and once for the entry point.
fn host_one() -> Big {
    return Big({% for limb in host_one %}{{ limb }}u, {% endfor %});
}

// The product in the host's form of two scalars below 2 r: below r + 4 r^2 / 2^256 < 2 r + r.
fn product(a: Big, b: Big) -> Big {
    let w = big_pack_canonical(b);
    return big_subtract_2p(big_mul(a, raised_scalar_of(vec4(w[0], w[1], w[2], w[3]), vec4(w[4], w[5], w[6], w[7]))));
}

fn is_zero(a: vec4<u32>, b: vec4<u32>) -> bool {
    let any = a | b;
    return (any.x | any.y | any.z | any.w) == 0u;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads) {
        return;
    }
    var all = host_one();
    var i = thread;
    while (i < params.len) {
        let w = big_pack_canonical(all);
        products[2u * i] = vec4(w[0], w[1], w[2], w[3]);
        products[2u * i + 1u] = vec4(w[4], w[5], w[6], w[7]);
        let low = target_scalars[2u * i];
        let high = target_scalars[2u * i + 1u];
        if (!is_zero(low, high)) {
            all = product(all, scalar_of(low, high));
        }
        i += params.threads;
    }
    var exponent: array<u32, {{ exponent | length }}>;
{% for word in exponent %}
    exponent[{{ loop.index0 }}] = {{ word }}u;
{% endfor %}
    var inverse = host_one();
    for (var bit = 256u; bit > 0u; bit--) {
        let is_set = ((exponent[(bit - 1u) >> 5u] >> ((bit - 1u) & 31u)) & 1u) == 1u;
        // Square, and multiply if the bit is set.
        for (var turn = 0u; turn < select(1u, 2u, is_set); turn++) {
            inverse = product(inverse, big_select(inverse, all, turn == 1u));
        }
    }
    while (i > thread) {
        i -= params.threads;
        let low = target_scalars[2u * i];
        let high = target_scalars[2u * i + 1u];
        if (!is_zero(low, high)) {
            let before = scalar_of(products[2u * i], products[2u * i + 1u]);
            store_scalar(i, product(inverse, before));
            inverse = product(inverse, scalar_of(low, high));
        }
    }
}
