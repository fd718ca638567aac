{# The twiddles between two passes, for thread q and column m: o_i = w^((br(q) + i 2^(b - r)) m). They are
   computed as two interleaved chains of products, or read from a table in the order of the rows.

   `inverted`, if it is set, asks for powers of 1/w, where `order_mask` is the order of w less 1; `outer_weight` is a
   further factor of all, and `outer_at` the place of the table. #}
{% if outer == "words" %}
{% if log_rows > log_registers %}
    let q_reversed = reverseBits(q << {{ 32 - (log_rows - log_registers) }}u);
{% else %}
    let q_reversed = 0u;
{% endif %}
{% if inverted is defined and inverted %}
    let ratio = power((0u - (m << {{ log_rows - log_registers }}u)) & order_mask);
    let o0 = power((0u - q_reversed * m) & order_mask);
{% else %}
    let ratio = power(m << {{ log_rows - log_registers }}u);
{% if outer_weight is defined %}
    let o0 = mul_var(power(q_reversed * m), {{ outer_weight }});
{% else %}
    let o0 = power(q_reversed * m);
{% endif %}
{% endif %}
    let ratio2 = mul_var(ratio, ratio);
    let o1 = mul_var(o0, ratio);
{% for i in range(2, registers) %}
    let o{{ i }} = mul_var(o{{ i - 2 }}, ratio2);
{% endfor %}
{% elif outer == "pairs" %}
    let o_first = {{ outer_at ~ " + " if outer_at is defined }}(q << ({{ log_registers }}u + params.log_stride)) + m;
{% for k in range(registers) %}
    let o{{ k }} = pairs[o_first + ({{ k }}u << params.log_stride)];
{% endfor %}
{% endif %}
