// Gives the highest variable of polynomials over GF(2) a value, or both values, which doubles their number.
//
//     p = q + x r     x = 0: q     x = 1: q + r
//
// The polynomials of a table are `linear` of degree at most {{ degree - 1 }} and one of degree {{ degree }}. Their
// terms of the highest degree are constants, the same in all tables.
//
// source, target: by word and number of the table. Words: by monomial and polynomial those of the first, then the last
//                 polynomial's by monomial, each without its highest degree
// constants:      by monomial and polynomial, then the last polynomial's by monomial, the highest degrees

fn choose(n: u32, k: u32) -> u32 {
    switch k {
        case 0u: { return 1u; }
        case 1u: { return n; }
        case 2u: { return n * (n - 1u) / 2u; }
        case 3u: { return n * (n - 1u) * (n - 2u) / 6u; }
        default: { return n * (n - 1u) * (n - 2u) / 6u * (n - 3u) / 4u; }
    }
}

// The number of monomials of a degree below k in n variables, k at most {{ degree }}.
fn below(n: u32, k: u32) -> u32 {
    var sum = 0u;
    for (var degree = 0u; degree < k; degree++) {
        sum += choose(n, degree);
    }
    return sum;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = workgroup_index(id, count) * WORKGROUP + lane;
    let both = params.choice == 2u;
    let out_log = params.log_tables + select(0u, 1u, both);
    let word = number >> out_log;
    // The variable that is given a value is number n; the results have the variables below it.
    let n = params.top;
    let of_first = params.linear * below(n, {{ degree - 1 }}u);
    if (word >= of_first + below(n, {{ degree }}u)) {
        return;
    }
    let table = number & ((1u << out_log) - 1u);
    let origin = select(table, table >> 1u, both);
    let value = select(params.choice, table & 1u, both);

    let is_last = word >= of_first;
    let monomial = select(word / params.linear, word - of_first, is_last);
    // The degree of the monomial, and its number among those of the degree.
    var size = 0u;
    var first = 0u;
    var next = 1u;
    while (monomial >= next) {
        size += 1u;
        first = next;
        next += choose(n, size);
    }
    let part = monomial - first;
    let last_source = params.linear * below(n + 1u, {{ degree - 1 }}u);
    let polynomial = word % params.linear;
    let own = below(n + 1u, size) + part;
    let place = select(own * params.linear + polynomial, last_source + own, is_last);
    var sum = source[(place << params.log_tables) + origin];
    if (value == 1u) {
        let multiple = part + choose(n, size + 1u);
        if (size + 1u < select({{ degree - 1 }}u, {{ degree }}u, is_last)) {
            let at = below(n + 1u, size + 1u) + multiple;
            let other = select(at * params.linear + polynomial, last_source + at, is_last);
            sum ^= source[(other << params.log_tables) + origin];
        } else {
            let other = select(multiple * params.linear + polynomial, params.last_constants + multiple, is_last);
            sum ^= constants[other];
        }
    }
    target_words[number] = sum;
}
