// Tables of the sums of all subsets of eight vectors (the method of the four Russians). The 256 vectors are
// 32 groups of eight; each of {{ 32 // tables }} phases has the tables of {{ tables }} groups.
//
// Entry `byte` of table q stands at byte * {{ tables }} + q. In step s, thread t reads table
{% if tables == 8 %}
// 4 ((t / 4 + s / 4) mod 2) + (t + s) mod 4, so that eight threads side by side read eight different tables
// and no two of them the same memory bank.
{% else %}
// (t + s) mod 4, so that of eight threads side by side at most two read the same memory bank.
{% endif %}
//
// The including file defines
{% if staged %}
//     fn word_of(group: u32, bit: u32, w: u32) -> u32     word w of vector 8 group + bit
{% else %}
//     fn vector_of(group: u32, bit: u32) -> vec4<u32>     vector 8 group + bit
{% endif %}

var<workgroup> tables: array<vec4<u32>, {{ 256 * tables }}>;

{% if staged %}
// Fills the tables of a phase. A thread makes one word of those entries of a table whose bytes share the low
// {{ low_bits }} bits. It takes the other bits in the order of the Gray code: one addition an entry.
//
// For Vulkan only: elsewhere a thread that writes one word of a vector may write the whole vector.
fn fill_tables(phase: u32, lane: u32) {
    let w = lane % 4u;
    let q = lane / 4u % {{ tables }}u;
    let low = lane / {{ 4 * tables }}u;
    let group = {{ tables }}u * phase + q;
{% for bit in range(8) %}
    let v{{ bit }} = word_of(group, {{ bit }}u, w);
{% endfor %}
    var sum = 0u;
{% for bit in range(low_bits) %}
    sum ^= v{{ bit }} & (0u - ((low >> {{ bit }}u) & 1u));
{% endfor %}
    tables[low * {{ tables }}u + q][w] = sum;
{% for step in gray %}
    sum ^= v{{ step.bit }};
    tables[(low | {{ step.high }}u) * {{ tables }}u + q][w] = sum;
{% endfor %}
}
{% else %}
// Fills the tables of a phase. A thread makes those entries of a table whose bytes share the low
// {{ low_bits }} bits. It takes the other bits in the order of the Gray code: one addition an entry.
fn fill_tables(phase: u32, lane: u32) {
    let q = lane % {{ tables }}u;
    let low = lane / {{ tables }}u;
    let group = {{ tables }}u * phase + q;
    var sum = vec4<u32>();
{% for bit in range(low_bits) %}
    sum ^= vector_of(group, {{ bit }}u) & vec4<u32>(0u - ((low >> {{ bit }}u) & 1u));
{% endfor %}
{% for bit in range(low_bits, 8) %}
    let v{{ bit }} = vector_of(group, {{ bit }}u);
{% endfor %}
    tables[low * {{ tables }}u + q] = sum;
{% for step in gray %}
    sum ^= v{{ step.bit }};
    tables[(low | {{ step.high }}u) * {{ tables }}u + q] = sum;
{% endfor %}
}
{% endif %}

// Half of a selection (128 bits), rotated for thread t: the bytes of each word are in the order of the
// thread's steps, and the byte of step 0 is {{ log_tables }} bits up, which multiplies it by {{ tables }}.
fn turned(half: vec4<u32>, t: u32) -> vec4<u32> {
    let words = {{ "select(half, half.yxwz, (t & 4u) != 0u)" if tables == 8 else "half" }};
    // Never 0: then `right` and 32 - right are valid shifts.
    let right = vec4<u32>((8u * (t & 3u) + {{ 32 - log_tables }}u) & 31u);
    return (words >> right) | (words << (32u - right));
}

// The entry that a rotated word selects in the first three of its four steps: `right` is 0, 8 and 16.
fn entry(word: u32, right: u32, table: u32) -> u32 {
    return ((word >> right) & {{ 255 * tables }}u) | table;
}

// The entry in the last step, whose byte is split between the two ends of the word.
fn last_entry(word: u32, table: u32) -> u32 {
    return (((word << 8u) | (word >> 24u)) & {{ 255 * tables }}u) | table;
}
