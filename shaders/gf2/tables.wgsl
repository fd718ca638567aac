// Sums of all subsets of eight vectors at a time (the method of the four Russians), for
// {{ tables }} groups of eight out of 256 vectors in each of {{ 32 // tables }} phases.
//
// Entry `byte` of table q stands at byte * {{ tables }} + q, and thread t takes table
// (t + s) mod {{ tables }} in step s: threads that read at once read neighbouring entries, of
// which no two are in one memory bank.
//
// What includes this defines
//     fn vector_of(group: u32, bit: u32) -> vec4<u32>     vector 8 group + bit

var<workgroup> tables: array<vec4<u32>, {{ 256 * tables }}>;

// Fills the tables of a phase. The entries of a thread have the low {{ low_bits }} bits of
// their byte in common; it goes through the others in the order of the Gray code.
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

// The bits of a selection (256 bits, two vectors) that a phase looks up, for a thread that
// begins with table `turn`.
{% if tables == 8 %}
alias Bits = vec2<u32>;

fn bits_of_phase(side: vec4<u32>, phase: u32, turn: u32) -> Bits {
    let pair = select(side.xy, side.zw, (phase & 1u) == 1u);
    let words = select(pair, pair.yx, turn >= 4u);
    let shift = 8u * (turn & 3u);
    // Shifts by 32 are not defined, so the word from above comes in two steps.
    return (words >> vec2<u32>(shift)) | ((words.yx << vec2<u32>(24u - shift)) << vec2<u32>(8u));
}

fn next_bits(bits: Bits) -> Bits {
    return (bits >> vec2<u32>(8u)) | (bits.yx << vec2<u32>(24u));
}

fn low_byte(bits: Bits) -> u32 {
    return bits.x & 255u;
}
{% elif tables == 4 %}
alias Bits = u32;

fn bits_of_phase(side: vec4<u32>, phase: u32, turn: u32) -> Bits {
    let word = side[phase & 3u];
    return (word >> (8u * turn)) | ((word << (24u - 8u * turn)) << 8u);
}

fn next_bits(bits: Bits) -> Bits {
    return (bits >> 8u) | (bits << 24u);
}

fn low_byte(bits: Bits) -> u32 {
    return bits & 255u;
}
{% endif %}

// Which side of a selection a phase looks up.
fn side_of_phase(phase: u32) -> u32 {
    return phase / {{ 16 // tables }}u;
}
