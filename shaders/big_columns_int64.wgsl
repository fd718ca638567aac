// The columns t0, t1, ... of a b, by Karatsuba's multiplication: part of a function of a and b. The file that includes it says how
// many limbs there are, and how many of them are low and high.
{% for k in range(2 * low - 1) %}
    var l{{ k }} = 0lu;
{% endfor %}
{% for k in range(2 * high - 1) %}
    var h{{ k }} = 0lu;
{% endfor %}
{% for i in range(low) %}
    {
        let y = u64(b[{{ i }}]);
{% for j in range(low) %}
        l{{ i + j }} += u64(a[{{ j }}]) * y;
{% endfor %}
    }
{% endfor %}
{% for i in range(high) %}
    {
        let y = u64(b[{{ low + i }}]);
{% for j in range(high) %}
        h{{ i + j }} += u64(a[{{ low + j }}]) * y;
{% endfor %}
    }
{% endfor %}
{% for k in range(2 * limbs) %}
    var t{{ k }} = 0lu
        {%- if k < 2 * low - 1 %} + l{{ k }}{% endif %}
        {%- if 2 * low <= k < 2 * limbs - 1 %} + h{{ k - 2 * low }}{% endif %}
        {%- if low <= k < 3 * low - 1 %} + l{{ k - low }}{% endif %}
        {%- if low <= k < low + 2 * high - 1 %} + h{{ k - low }}{% endif %};
{% endfor %}
{% for j in range(low) %}
    let x{{ j }} = i64(i32({% if j < high %}a[{{ low + j }}]{% else %}0u{% endif %} - a[{{ j }}]));
{% endfor %}
{% for i in range(low) %}
    {
        let y = i64(i32(b[{{ i }}]{% if i < high %} - b[{{ low + i }}]{% endif %}));
{% for j in range(low) %}
        t{{ low + i + j }} += u64(x{{ j }} * y);
{% endfor %}
    }
{% endfor %}
