// Sums of those of 256 vectors that 256 bits select, by tables of all sums of four vectors: entry `nibble`
// of the table of vectors 4 g to 4 g + 3 stands at 64 nibble + g. For a workgroup of 256 threads.
//
// The including file defines
//     fn vector_of(slot: u32) -> vec4<u32>

var<workgroup> tables: array<vec4<u32>, 1024>;

// Fills the tables. A thread makes four entries of one table. Eight threads side by side write to eight
// tables, so that no two write the same memory bank at once.
fn fill_tables(lane: u32) {
    let g = lane / 32u * 8u + lane % 8u;
    let high = lane / 8u % 4u;
    let v0 = vector_of(4u * g);
    let v1 = vector_of(4u * g + 1u);
    var sum = vector_of(4u * g + 2u) & vec4<u32>(0u - (high & 1u));
    sum ^= vector_of(4u * g + 3u) & vec4<u32>(0u - (high >> 1u));
    let entry = 256u * high + g;
    tables[entry] = sum;
    tables[entry + 64u] = sum ^ v0;
    tables[entry + 128u] = sum ^ v1;
    tables[entry + 192u] = sum ^ v0 ^ v1;
}

// The sum of the vectors that the 32 bits of word w of a selection select. Threads begin at
// different tables, so that no two read the same memory bank at once.
fn sum_of_word(word: u32, w: u32, lane: u32) -> vec4<u32> {
    let turn = lane % 8u;
    var bits = (word >> (4u * turn)) | ((word << (28u - 4u * turn)) << 4u);
    var sum = vec4<u32>();
{% for s in range(8) %}
    sum ^= tables[(bits & 15u) * 64u + 8u * w + (turn + {{ s }}u) % 8u];
    bits = (bits >> 4u) | (bits << 28u);
{% endfor %}
    return sum;
}

// The sum of the vectors that a selection of 256 bits selects.
fn sum_of(low: vec4<u32>, high: vec4<u32>, lane: u32) -> vec4<u32> {
    var sum = vec4<u32>();
{% for w in range(8) %}
    sum ^= sum_of_word({{ "low" if w < 4 else "high" }}[{{ w % 4 }}], {{ w }}u, lane);
{% endfor %}
    return sum;
}
