{% set limbs = field.limbs %}
{% set low = (limbs + 1) // 2 %}
{% set high = limbs - low %}
// (a b + c d) / R, or a b / R unless `is_sum`; below p more than that. The columns of one product, by Karatsuba's
// multiplication as in big_int64.wgsl, are carried where those of the other would overflow them; one reduction follows.
fn big_dot(a: Big, b: Big, c: Big, d: Big, is_sum: bool) -> Big {
{% for k in range(2 * limbs) %}
    var t{{ k }} = 0lu;
{% endfor %}
{% for x, y in [("a", "b"), ("c", "d")] %}
{% if loop.last %}
    if (is_sum) {
{% for k in field.carries_between %}
        t{{ k + 1 }} += t{{ k }} >> 30u;
        t{{ k }} &= 0x3ffffffflu;
{% endfor %}
{% else %}
    {
{% endif %}
{% for part, first, count, places in [("l", 0, low, [0, low]), ("h", low, high, [2 * low, low])] %}
        {
{% for k in range(2 * count - 1) %}
            var {{ part }}{{ k }} = 0lu;
{% endfor %}
{% for i in range(count) %}
            {
                let y = u64({{ y }}[{{ first + i }}]);
{% for j in range(count) %}
                {{ part }}{{ i + j }} += u64({{ x }}[{{ first + j }}]) * y;
{% endfor %}
            }
{% endfor %}
{% for place in places %}
{% for k in range(2 * count - 1) %}
            t{{ place + k }} += {{ part }}{{ k }};
{% endfor %}
{% endfor %}
        }
{% endfor %}
{% for j in range(low) %}
        let x{{ j }} = i64(i32({% if j < high %}{{ x }}[{{ low + j }}]{% else %}0u{% endif %} - {{ x }}[{{ j }}]));
{% endfor %}
{% for i in range(low) %}
        {
            let y = i64(i32({{ y }}[{{ i }}]{% if i < high %} - {{ y }}[{{ low + i }}]{% endif %}));
{% for j in range(low) %}
            t{{ low + i + j }} += u64(x{{ j }} * y);
{% endfor %}
        }
{% endfor %}
    }
{% endfor %}
{% include "big_reduce_int64.wgsl" %}

}

