// Linear systems in {{ linear }} variables, whose coefficients are polynomials in others, 32 equations side by side
// in a word. A thread walks through the values of `up` variables in Gray code:
//
//     update the coefficients by their derivatives, the highest first
//     eliminate; a row 0 = 1 rejects the value
//     solve, and evaluate 32 equations at the solution; a value that passes, or that leaves a variable free, is a hit
//
// state:     by word and thread, as in restrict.wgsl; a word is the derivative of its monomial in the walk
// constants: the derivatives of the highest degree
// terms:     the equations' terms: two words of variables, and the equations that have it
// hits:      the number of hits, then for each the thread and the step

{% if not few_registers %}
var<private> columns: array<u32, {{ linear + 1 }}>;
var<private> pivots: array<u32, {{ linear }}>;
{% endif %}

fn choose2(n: u32) -> u32 {
    return n * (n - 1u) / 2u;
}

fn choose3(n: u32) -> u32 {
    return n * (n - 1u) * (n - 2u) / 6u;
}

fn choose4(n: u32) -> u32 {
    return n * (n - 1u) * (n - 2u) / 6u * (n - 3u) / 4u;
}

// The numbers of monomials among those of their degree, variables ascending.
fn pair(a: u32, b: u32) -> u32 {
    return a + choose2(b);
}

fn triple(a: u32, b: u32, c: u32) -> u32 {
    return a + choose2(b) + choose3(c);
}

fn quadruple(a: u32, b: u32, c: u32, d: u32) -> u32 {
    return a + choose2(b) + choose3(c) + choose4(d);
}

// The place of the word of polynomial p and a monomial.
fn place(monomial: u32, p: u32, thread: u32) -> u32 {
    return ((monomial * {{ linear }}u + p) << params.log_threads) + thread;
}

// The same for the last polynomial.
fn last_place(monomial: u32, thread: u32) -> u32 {
    return ((params.last_words + monomial) << params.log_threads) + thread;
}

{# The coefficients of the monomials of degree `size` of polynomials whose highest degree is `highest`. #}
{% macro coefficient(size, highest, number, is_last) -%}
{%- if size == highest -%}
{%- if is_last %}constants[params.last_constants + {{ number }}]
{%- else %}constants[{{ number }} * {{ linear }}u + p]{% endif -%}
{%- else -%}
{%- set first = "first" ~ size -%}
{%- if is_last %}state[last_place({{ first }} + {{ number }}, thread)]
{%- else %}state[place({{ first }} + {{ number }}, p, thread)]{% endif -%}
{%- endif -%}
{%- endmacro %}

{# Changes coefficients to derivatives at the point where the walk first uses them: for each variable i of the monomial,
   variable i - 1 is 1 there. #}
{% macro to_derivatives(highest, is_last) %}
{% if highest >= 2 %}
    for (var i = 1u; i < up; i++) {
        {{ coefficient(1, highest, "i", is_last) }} ^= {{ coefficient(2, highest, "pair(i - 1u, i)", is_last) }};
    }
{% endif %}
{% if highest >= 3 %}
    for (var j = 1u; j < up; j++) {
        for (var i = 0u; i < j; i++) {
            var sum = 0u;
            if (i > 0u) {
                sum ^= {{ coefficient(3, highest, "triple(i - 1u, i, j)", is_last) }};
            }
            if (j - 1u != i) {
                sum ^= {{ coefficient(3, highest, "triple(i, j - 1u, j)", is_last) }};
            }
{% if highest >= 4 %}
            if (i > 0u && j - 1u != i) {
                sum ^= {{ coefficient(4, highest, "quadruple(i - 1u, i, j - 1u, j)", is_last) }};
            }
{% endif %}
            {{ coefficient(2, highest, "pair(i, j)", is_last) }} ^= sum;
        }
    }
{% endif %}
{% if highest >= 4 %}
    for (var k = 2u; k < up; k++) {
        for (var j = 1u; j < k; j++) {
            for (var i = 0u; i < j; i++) {
                var sum = 0u;
                if (i > 0u) {
                    sum ^= {{ coefficient(4, highest, "quadruple(i - 1u, i, j, k)", is_last) }};
                }
                if (j - 1u != i) {
                    sum ^= {{ coefficient(4, highest, "quadruple(i, j - 1u, j, k)", is_last) }};
                }
                if (k - 1u != j) {
                    sum ^= {{ coefficient(4, highest, "quadruple(i, j, k - 1u, k)", is_last) }};
                }
                {{ coefficient(3, highest, "triple(i, j, k)", is_last) }} ^= sum;
            }
        }
    }
{% endif %}
{% endmacro %}

{# Changes the coefficients of a polynomial to those of the next step. #}
{% macro advance(c, highest, is_last) %}
            {
                let p = {{ c }}u;
                var sum = 0u;
{% for size in range(1, highest + 1) | reverse %}
{% if size < highest %}
{% if size > 1 %}
                if (left{{ size }} != 0u) {
                    sum ^= {{ coefficient(size, highest, "n" ~ size, is_last) }};
                    {{ coefficient(size, highest, "n" ~ size, is_last) }} = sum;
                }
{% else %}
                sum ^= {{ coefficient(1, highest, "n1", is_last) }};
                {{ coefficient(1, highest, "n1", is_last) }} = sum;
{% endif %}
{% else %}
{% if size > 1 %}
                if (left{{ size }} != 0u) {
                    sum = {{ coefficient(size, highest, "n" ~ size, is_last) }};
                }
{% else %}
                sum = {{ coefficient(1, highest, "n1", is_last) }};
{% endif %}
{% endif %}
{% endfor %}
                c{{ c }} ^= sum;
            }
{% endmacro %}

fn begin(thread: u32) {
    let up = params.up;
    let first1 = 1u;
    let first2 = 1u + up;
    let first3 = first2 + choose2(up);
    for (var p = 0u; p < {{ linear }}u; p++) {
{{ to_derivatives(degree - 1, false) }}
    }
{{ to_derivatives(degree, true) }}
}

{% macro returns_whether_x_solves() %}
    var sum = 0u;
    for (var term = 0u; term < params.terms; term++) {
        let is_one = (terms[3u * term] & ~x) == 0u && (terms[3u * term + 1u] & ~high) == 0u;
        sum ^= select(0u, terms[3u * term + 2u], is_one);
    }
    return sum == 0u;
{%- endmacro %}
{% if few_registers %}
// True if x, with the values of the other variables, solves the equations of `terms`.
fn solves(x: u32, high: u32) -> bool {
{{ returns_whether_x_solves() }}
}
{% else %}
// True if the system of `columns` has one solution that solves the equations of `terms`, or leaves a variable free.
// `low` and `high` are the values of the other variables.
fn passes(low: u32, high: u32) -> bool {
    var unused = 0xffffffffu;
    for (var v = 0u; v < {{ linear }}u; v++) {
        let rows = columns[v] & unused;
        if (rows == 0u) {
            return true;
        }
        let pivot = rows & (~rows + 1u);
        let others = columns[v] ^ pivot;
        unused ^= pivot;
        pivots[v] = pivot;
        for (var j = v + 1u; j <= {{ linear }}u; j++) {
            columns[j] ^= select(0u, others, (columns[j] & pivot) != 0u);
        }
    }
    var x = low;
    for (var v = 0u; v < {{ linear }}u; v++) {
        x |= select(0u, 1u << v, (columns[{{ linear }}u] & pivots[v]) != 0u);
    }
{{ returns_whether_x_solves() }}
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = workgroup_index(id, count) * WORKGROUP + lane;
    if (number >= params.threads) {
        return;
    }
    let thread = params.first_thread + number;
    let up = params.up;
    let first1 = 1u;
    let first2 = 1u + up;
    let first3 = first2 + choose2(up);
    begin(thread);

{% for p in range(linear) %}
    var c{{ p }} = state[place(0u, {{ p }}u, thread)];
{% endfor %}
    var c{{ linear }} = state[last_place(0u, thread)];
    for (var step = 0u; step < (1u << up); step++) {
        if (step > 0u) {
            // The lowest ones of the step, and the monomials of the first of them.
            let left2 = step & (step - 1u);
            let left3 = select(0u, left2 & (left2 - 1u), left2 != 0u);
            let left4 = select(0u, left3 & (left3 - 1u), left3 != 0u);
            let n1 = firstTrailingBit(step);
            let n2 = n1 + select(0u, choose2(firstTrailingBit(left2)), left2 != 0u);
            let n3 = n2 + select(0u, choose3(firstTrailingBit(left3)), left3 != 0u);
            let n4 = n3 + select(0u, choose4(firstTrailingBit(left4)), left4 != 0u);
{% for p in range(linear) %}
{{ advance(p, degree - 1, false) }}
{% endfor %}
{{ advance(linear, degree, true) }}
        }
{% for p in range(linear + 1) %}
        var e{{ p }} = c{{ p }};
{% endfor %}
        var unused = 0xffffffffu;
{% for v in range(linear) %}
        {
            let rows = e{{ v }} & unused;
            let pivot = rows & (~rows + 1u);
{% if few_registers %}
            // The other rows, used ones too: then the last column is the solution, and the pivot takes the column's place.
            let others = e{{ v }} ^ pivot;
            e{{ v }} = pivot;
{% else %}
            let others = rows ^ pivot;
{% endif %}
            unused ^= pivot;
{% for j in range(v + 1, linear + 1) %}
            e{{ j }} ^= select(0u, others, (e{{ j }} & pivot) != 0u);
{% endfor %}
        }
{% endfor %}
        if ((e{{ linear }} & unused) == 0u) {
{% if few_registers %}
            let y = (thread << up) | (step ^ (step >> 1u));
            var x = (y << {{ linear }}u) | params.prefix_low;
            var is_free = false;
{% for v in range(linear) %}
            x |= select(0u, {{ 2 ** v }}u, (e{{ linear }} & e{{ v }}) != 0u);
            is_free = is_free | (e{{ v }} == 0u);
{% endfor %}
            if (is_free || solves(x, (y >> {{ 32 - linear }}u) | params.prefix_high)) {
{% else %}
{% for p in range(linear + 1) %}
            columns[{{ p }}] = c{{ p }};
{% endfor %}
            let y = (thread << up) | (step ^ (step >> 1u));
            if (passes((y << {{ linear }}u) | params.prefix_low, (y >> {{ 32 - linear }}u) | params.prefix_high)) {
{% endif %}
                let slot = atomicAdd(&hits[0], 1u);
                if (slot < params.capacity) {
                    atomicStore(&hits[1u + 2u * slot], thread);
                    atomicStore(&hits[2u + 2u * slot], step);
                }
            }
        }
    }
}
