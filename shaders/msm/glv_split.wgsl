// Divides a scalar k, at most (r - 1) / 2, by M, where r = M^2 - M + 1, into halves k = k0 + k1 M whose amounts are at most
// (M + 1) / 2, by the estimate of Barrett (CRYPTO 1986), with digits of 16 bits, b = 2^16:
//
//     q = floor(floor(k / b^7) floor(b^16 / M) / b^9)     the quotient or less, by at most 2, for M above b^7
//     rest = k - q M                                      below 3 M, so that its nine lowest digits are enough
//     twice: if rest >= M: rest = rest - M, q = q + 1
//     if rest > M - rest: k0 = rest - M, k1 = q + 1, otherwise k0 = rest, k1 = q
//
// A digit times a digit, plus two digits, is at most 2^32 - 1.

// The same type as that of field elements of as many limbs: the generated HLSL would define the array's constructor twice.
alias Digits = {% if field.limbs == 9 %}Big{% else %}array<u32, 9>{% endif %};

struct Halves {
    // The digits of both amounts.
    low: Digits,
    high: Digits,
    // True if k0 is negative; k1 never is.
    is_low_negative: bool,
}

struct Subtracted {
    digits: Digits,
    // 1 if the result is negative; the digits are it plus b^9 then.
    borrow: u32,
}

fn subtracted(a: Digits, c: Digits) -> Subtracted {
    var out: Subtracted;
{% for i in range(9) %}
    out.digits[{{ i }}] = a[{{ i }}] - c[{{ i }}] - out.borrow;
    out.borrow = out.digits[{{ i }}] >> 31u;
    out.digits[{{ i }}] &= 0xffffu;
{% endfor %}
    return out;
}

fn digits_chosen(a: Digits, c: Digits, is_second: bool) -> Digits {
    return Digits({% for i in range(9) %}select(a[{{ i }}], c[{{ i }}], is_second), {% endfor %});
}

// The halves of the integer with these words.
fn halves_of(words: Words_canonical) -> Halves {
    let factor = Digits({% for digit in halving.factor %}{{ digit }}u, {% endfor %}0u);
{% for i in range(16) %}
    let k{{ i }} = {{ "words[" ~ i // 2 ~ "]" }} {{ ">> 16u" if i % 2 else "& 0xffffu" }};
{% endfor %}
    // The product of the highest nine digits and floor(b^16 / M).
{% for i in range(18) %}
    var p{{ i }} = 0u;
{% endfor %}
    var t = 0u;
{% for i in range(9) %}
    t = 0u;
{% for j in range(9) %}
{% if halving.quotient[j] != 0 %}
    t += p{{ i + j }} + k{{ i + 7 }} * {{ halving.quotient[j] }}u;
{% else %}
    t += p{{ i + j }};
{% endif %}
    p{{ i + j }} = t & 0xffffu;
    t >>= 16u;
{% endfor %}
    p{{ i + 9 }} = t;
{% endfor %}
    var high = Digits({% for i in range(9) %}p{{ i + 9 }}, {% endfor %});
    // The lowest nine digits of the quotient's product with M.
{% for i in range(9) %}
    var m{{ i }} = 0u;
{% endfor %}
{% for i in range(9) %}
    t = 0u;
{% for j in range(9 - i) if j < 8 %}
{% if halving.factor[j] != 0 %}
    t += m{{ i + j }} + p{{ i + 9 }} * {{ halving.factor[j] }}u;
{% else %}
    t += m{{ i + j }};
{% endif %}
    m{{ i + j }} = t & 0xffffu;
    t >>= 16u;
{% endfor %}
{% if i == 0 %}
    m8 = t;
{% endif %}
{% endfor %}
    let k = Digits({% for i in range(9) %}k{{ i }}, {% endfor %});
    var rest = subtracted(k, Digits({% for i in range(9) %}m{{ i }}, {% endfor %})).digits;
    var more = 0u;
{% for _ in range(2) %}
    {
        let less = subtracted(rest, factor);
        more += 1u - less.borrow;
        rest = digits_chosen(rest, less.digits, less.borrow == 0u);
    }
{% endfor %}
    let opposite = subtracted(factor, rest).digits;
    let is_low_negative = subtracted(opposite, rest).borrow == 1u;
    more += u32(is_low_negative);
{% for i in range(9) %}
    more += high[{{ i }}];
    high[{{ i }}] = more & 0xffffu;
    more >>= 16u;
{% endfor %}
    return Halves(digits_chosen(rest, opposite, is_low_negative), high, is_low_negative);
}
