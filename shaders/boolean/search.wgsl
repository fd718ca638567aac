// Exhaustive search of windows of candidates, up to 32 equations side by side in a word. A thread has one value of the
// thread variables; it walks through the up variables in Gray code, and for each of their values through a block of
// the low variables:
//
//     value += derivative, whose own derivatives are added to it first       degree 2: one addition a candidate
//     seen |= (value == target of the step)
//
// table: by window, the derivatives by the number of their monomial, at the point where a walk first uses them
// fixed: the targets of a block, binomials, the first numbers of monomials by degree, for windows and for derivatives
// hits:  the number of hits, then for each the window, and thread << up | step

{# Where registers are few, the derivatives of degree 2 are in workgroup memory, those of up variables only. Of higher degrees there are too many:
   they are in memory for private data. #}
{% set shared = few_registers and degree == 2 %}
{% macro derivative(number) %}derivatives[{{ number }}{% if shared %} - {{ low + 1 }}u][lane{% endif %}]{% endmacro %}
{% if shared %}
var<workgroup> derivatives: array<array<u32, WORKGROUP>, {{ derivatives - low - 1 }}>;
{% else %}
var<private> derivatives: array<u32, {{ derivatives }}>;
{% endif %}

fn choose(n: u32, k: u32) -> u32 {
    return fixed[{{ choose }}u + 5u * n + k];
}

fn offset(degree: u32) -> u32 {
    return fixed[{{ offsets }}u + degree];
}

fn derivative_offset(degree: u32) -> u32 {
    return fixed[{{ derivative_offsets }}u + degree];
}

// The derivative of a monomial of low and up variables for the values of a thread's variables: the sum over all
// products of thread variables that are 1. `part` is the sum of binomials in the monomial's number.
fn gather(base: u32, part: u32, size: u32, thread: u32) -> u32 {
    let first = {{ low }}u + params.up;
    var sum = table[base + offset(size) + part];
    var rest1 = thread;
    while (rest1 != 0u) {
        let part1 = part + choose(first + firstTrailingBit(rest1), size + 1u);
        rest1 &= rest1 - 1u;
        sum ^= table[base + offset(size + 1u) + part1];
{% for depth in range(2, degree + 1) %}
        if (size + {{ depth }}u <= {{ degree }}u) {
            var rest{{ depth }} = rest{{ depth - 1 }};
            while (rest{{ depth }} != 0u) {
                let part{{ depth }} = part{{ depth - 1 }}
                    + choose(first + firstTrailingBit(rest{{ depth }}), size + {{ depth }}u);
                rest{{ depth }} &= rest{{ depth }} - 1u;
                sum ^= table[base + offset(size + {{ depth }}u) + part{{ depth }}];
{% endfor %}
{% for depth in range(2, degree + 1) %}
            }
        }
{% endfor %}
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
    let window = number >> params.thread_bits;
    if (window >= params.windows) {
        return;
    }
    let thread = number & ((1u << params.thread_bits) - 1u);
    let base = window * params.table_length;
    let last = {{ low }}u + params.up;

    // s: derivatives in low variables, by mask.
{% for s in subsets %}
    var s{{ s.mask }} = gather(base, {{ s.part }}u, {{ s.size }}u, thread);
{% endfor %}
    // Those in up variables too.
    for (var k1 = {{ low }}u; k1 < last; k1++) {
{% for s in subsets %}{% if s.size + 1 < degree %}
        let r1_{{ s.mask }} = {{ s.part }}u + choose(k1, {{ s.size + 1 }}u);
        {{ derivative("derivative_offset(" ~ (s.size + 1) ~ "u) + r1_" ~ s.mask) }} =
            gather(base, r1_{{ s.mask }}, {{ s.size + 1 }}u, thread);
{% endif %}{% endfor %}
{% if degree >= 3 %}
        for (var k2 = k1 + 1u; k2 < last; k2++) {
{% for s in subsets %}{% if s.size + 2 < degree %}
            let r2_{{ s.mask }} = r1_{{ s.mask }} + choose(k2, {{ s.size + 2 }}u);
            derivatives[derivative_offset({{ s.size + 2 }}u) + r2_{{ s.mask }}] =
                gather(base, r2_{{ s.mask }}, {{ s.size + 2 }}u, thread);
{% endif %}{% endfor %}
{% if degree >= 4 %}
            for (var k3 = k2 + 1u; k3 < last; k3++) {
                let r3 = r2_0 + choose(k3, 3u);
                derivatives[derivative_offset(3u) + r3] = gather(base, r3, 3u, thread);
            }
{% endif %}
        }
{% endif %}
    }

    let constants = base + offset({{ degree }}u);
{% for step in steps %}
    let q{{ loop.index0 }} = fixed[{{ loop.index0 }}u];
{% endfor %}
    for (var step = 0u; step < (1u << params.up); step++) {
        if (step > 0u) {
            // The highest derivatives first, each by the next higher one.
            let b1 = {{ low }}u + firstTrailingBit(step);
{% for k in range(2, degree + 1) %}
            let left{{ k }} = {% if k == 2 %}step & (step - 1u){% else %}select(0u, left{{ k - 1 }} & (left{{ k - 1 }} - 1u), left{{ k - 1 }} != 0u){% endif %};
            let b{{ k }} = {{ low }}u + select(0u, firstTrailingBit(left{{ k }}), left{{ k }} != 0u);
{% endfor %}
{% for s in subsets %}
            {
                let r1 = {{ s.part }}u + choose(b1, {{ s.size + 1 }}u);
{% for k in range(2, degree - s.size + 1) %}
                let r{{ k }} = r{{ k - 1 }} + choose(b{{ k }}, {{ s.size + k }}u);
{% endfor %}
{% for k in range(2, degree - s.size + 1) | reverse %}
                if (left{{ k }} != 0u) {
                    {{ derivative("derivative_offset(" ~ (s.size + k - 1) ~ "u) + r" ~ (k - 1)) }} ^=
{% if s.size + k == degree %}
                        table[constants + r{{ k }}];
{% else %}
                        derivatives[derivative_offset({{ s.size + k }}u) + r{{ k }}];
{% endif %}
                }
{% endfor %}
{% if s.size + 1 == degree %}
                s{{ s.mask }} ^= table[constants + r1];
{% else %}
                s{{ s.mask }} ^= {{ derivative("derivative_offset(" ~ (s.size + 1) ~ "u) + r1") }};
{% endif %}
            }
{% endfor %}
        }
{% for s in subsets %}{% if s.is_copied %}
        var w{{ s.mask }} = s{{ s.mask }};
{% endif %}{% endfor %}
        var seen = w0 == q0;
{% for step in steps %}{% if not loop.first %}
{% for a in step %}
        w{{ a.to }} ^= {% if a.is_copied %}w{% else %}s{% endif %}{{ a.from }};
{% endfor %}
        seen = seen | (w0 == q{{ loop.index0 }});
{% endif %}{% endfor %}
        if (seen) {
            let slot = atomicAdd(&hits[0], 1u);
            if (slot < params.capacity) {
                atomicStore(&hits[1u + 2u * slot], window);
                atomicStore(&hits[2u + 2u * slot], (thread << params.up) | step);
            }
        }
    }
}
