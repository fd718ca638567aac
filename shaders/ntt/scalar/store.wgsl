// Writes a scalar below 2 r to place i of the vector, in the host's form.
fn store_scalar(i: u32, x: Big) {
    let w = big_pack_canonical(big_canonical(x));
    target_scalars[2u * i] = vec4(w[0], w[1], w[2], w[3]);
    target_scalars[2u * i + 1u] = vec4(w[4], w[5], w[6], w[7]);
}

