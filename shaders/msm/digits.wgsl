// Cuts scalars into signed digits and writes each digit to its bucket set as an entry: a key, the bucket
// within the set, and a value, the point's index in the table with the sign in bit 31.
//
//     k = min(scalar, r - scalar)                    the sign of all digits, if it is r - scalar
//     k, or each of its halves: for each window of c bits, the lowest first:
//         digit = the window's bits + carry          in [0, 2^c]
//         if digit > 2^(c - 1): digit = digit - 2^c, carry = 1
//
// The rules are those of src/msm/scheme.rs. Entry a * len + i of set m belongs to scalar i and window
// a * sets + m (digits of one level), window m (odd digits), or window m of half a. The scalars of several vectors of
// the same length follow each other; the sets of this dispatch of the second vector follow those of the first.
//
// One thread a scalar. `field` is the scalar field here.

{% include "big.wgsl" %}

// The value of an entry whose digit is 0.
const NOTHING: u32 = 0xffffffffu;

// r - a, for a at most r.
fn opposite(a: Big) -> Big {
    return big_neg(a);
}

fn is_less(a: Big, b: Big) -> bool {
    var borrow = 0u;
{% for i in range(field.limbs) %}
    borrow = (a[{{ i }}] - b[{{ i }}] - borrow) >> 31u;
{% endfor %}
    return borrow == 1u;
}

{% if halving %}
{% include "msm/glv_split.wgsl" %}

// The words of both halves, each followed by two zeros.
const HALVES: u32 = 2u;
const PART_WORDS: u32 = 6u;
{% else %}
// The words of k, followed by zeros.
const HALVES: u32 = 1u;
const PART_WORDS: u32 = {{ field.words + 2 }}u;
{% endif %}
var<private> magnitude: array<u32, HALVES * PART_WORDS>;

// The bits of the window that begins at bit `start` of k or of one of its halves.
fn bits_from(part: u32, start: u32) -> u32 {
    let word = part * PART_WORDS + min(start >> 5u, PART_WORDS - 2u);
    let shift = start & 31u;
    var value = magnitude[word] >> shift;
    if (shift > 0u) {
        value |= magnitude[word + 1u] << (32u - shift);
    }
    return value & ((1u << params.width) - 1u);
}

// Writes the entry of a digit, if its set is among those of this dispatch.
fn emit(bucket_set: u32, level: u32, digit: u32, negative: bool, vector: u32, scalar: u32) {
    if (bucket_set < params.first_set || bucket_set >= params.last_set) {
        return;
    }
    let set_number = vector * (params.last_set - params.first_set) + bucket_set - params.first_set;
    let place = set_number * params.segment + level * params.len + scalar;
    if (digit == 0u) {
        // The last bucket: hardly a point goes there, so that what is nothing does not part the entries of another one.
        keys[place] = params.last_bucket;
        values[place] = NOTHING;
        return;
    }
    var key = digit - 1u;
    var source = level;
    if (params.odd == 1u) {
        source = min(countTrailingZeros(digit), params.last_level);
        key = digit >> source;
        if ((key & 1u) == 1u) {
            key = key / 2u;
        } else {
            key = (1u << (params.width - 2u)) + key / 2u - 1u;
        }
    } else if (bucket_set == params.sets - 1u) {
        // Spread over all buckets of the set, if the topmost window has it for itself.
        key += (scalar << params.top_bits) & ((1u << (params.width - 1u)) - 1u);
    }
    keys[place] = key;
    values[place] = (source * params.stride + scalar) | (u32(negative) << 31u);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = workgroup_index(id, count) * WORKGROUP + lane;
    if (index >= params.vectors * params.len) {
        return;
    }
    var words: Words_canonical;
{% for i in range(field.words) %}
    words[{{ i }}] = scalars[(params.first + index) * {{ field.words }}u + {{ i }}u];
{% endfor %}
    var k = big_unpack_canonical(words);
    // From Montgomery's form with R = 2^256, as the host keeps scalars, to the integer.
    k = big_canonical(big_mul(k, Big({% for limb in to_integer %}{{ limb }}u, {% endfor %})));
    let flipped = is_less(opposite(k), k);
    words = big_pack_canonical(big_select(k, opposite(k), flipped));
    var is_negative = flipped;
{% if halving %}
    let halves = halves_of(words);
    is_negative = flipped != halves.is_low_negative;
{% for i in range(4) %}
    magnitude[{{ i }}] = halves.low[{{ 2 * i }}] | (halves.low[{{ 2 * i + 1 }}] << 16u);
    magnitude[PART_WORDS + {{ i }}u] = halves.high[{{ 2 * i }}] | (halves.high[{{ 2 * i + 1 }}] << 16u);
{% endfor %}
{% else %}
{% for i in range(field.words) %}
    magnitude[{{ i }}] = words[{{ i }}];
{% endfor %}
{% endif %}
    for (var part = 0u; part < HALVES; part++) {
        var carry = 0u;
        for (var window = 0u; window < params.windows; window++) {
            var digit = bits_from(part, window * params.width) + carry;
            carry = u32(digit > (1u << (params.width - 1u)));
            if (carry == 1u) {
                digit = (1u << params.width) - digit;
            }
            let level = part + window / params.sets;
            let negative = is_negative != (carry == 1u);
            emit(window % params.sets, level, digit, negative, index / params.len, index % params.len);
        }
        is_negative = flipped;
    }
}
