// Points X, Y, ZZ, ZZZ to affine points, from the running products of their ZZZ
// (products.wgsl) and the inverses of each thread's product of all. The formula, for a
// point and the inverse I of the product up to its ZZZ: 1/ZZZ = I times the product before,
// 1/ZZ = (ZZ / ZZZ)^2, and I ZZZ is the inverse for the point before.

{% include "big.wgsl" %}
{% include "formula.wgsl" %}

// Registers: the inverse, X, Y, ZZ, ZZZ, the product before; then the inverse, x, y.
fn load(to: u32, buffer_is_points: bool, element: u32) {
    var w: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        if (buffer_is_points) {
            w[i] = points[element * {{ field.lazy_words }}u + i];
        } else {
            w[i] = products[element * {{ field.lazy_words }}u + i];
        }
    }
    registers[to] = big_unpack_lazy(w);
}

fn store(element: u32, value: Big) {
    let w = big_pack_canonical(big_canonical(value));
    for (var i = 0u; i < {{ field.words }}u; i++) {
        affine[element * {{ field.words }}u + i] = w[i];
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    if (thread >= params.threads || thread >= params.points) {
        return;
    }
    var w: Words_lazy;
    for (var i = 0u; i < {{ field.lazy_words }}u; i++) {
        w[i] = inverses[thread * {{ field.lazy_words }}u + i];
    }
    registers[0] = big_unpack_lazy(w);
    let turns = (params.points - thread + params.threads - 1u) / params.threads;
    for (var turn = turns; turn > 0u; turn--) {
        let index = thread + (turn - 1u) * params.threads;
        for (var k = 0u; k < 4u; k++) {
            load(1u + k, true, index * 4u + k);
        }
        load(5u, false, index);
        let infinite = big_is_zero(registers[4]);
        registers[4] = big_select(registers[4], BIG_ONE, infinite);
        run(0u, params.steps);
        let target_index = 2u * (params.first + index);
        store(target_index, big_select(registers[1], BIG_ZERO, infinite));
        store(target_index + 1u, big_select(registers[2], BIG_ZERO, infinite));
    }
}
