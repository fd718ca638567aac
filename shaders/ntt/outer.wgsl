{# The twiddles between two passes, for thread q and column m: o_i = w^((br(q) + i 2^(b - r)) m). They are
   computed as two interleaved chains of products, or read from a table in the order of the rows. #}
{% if outer == "words" %}
{% if log_rows > log_registers %}
    let q_reversed = reverseBits(q << {{ 32 - (log_rows - log_registers) }}u);
{% else %}
    let q_reversed = 0u;
{% endif %}
    let ratio = power(m << {{ log_rows - log_registers }}u);
    let ratio2 = mul_var(ratio, ratio);
    let o0 = power(q_reversed * m);
    let o1 = mul_var(o0, ratio);
{% for i in range(2, registers) %}
    let o{{ i }} = mul_var(o{{ i - 2 }}, ratio2);
{% endfor %}
{% elif outer == "pairs" %}
    let o_first = (q << ({{ log_registers }}u + params.log_stride)) + m;
{% for k in range(registers) %}
    let o{{ k }} = pairs[o_first + ({{ k }}u << params.log_stride)];
{% endfor %}
{% endif %}
