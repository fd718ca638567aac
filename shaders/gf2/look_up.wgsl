{# Adds to sum0, sum1, ..., of rows WORKGROUP apart, what the tables of a phase hold for their bits.
   `phase`, `turn` and `selection`, the place of the first row's bits, are declared before. #}
{% for i in range(rows) %}
        var bits{{ i }} = bits_of_phase(selections[selection + {{ i }}u * WORKGROUP], phase, turn);
{% endfor %}
        workgroupBarrier();
{% for s in range(tables) %}
        let q{{ s }} = (turn + {{ s }}u) % {{ tables }}u;
{% for i in range(rows) %}
        sum{{ i }} ^= tables[low_byte(bits{{ i }}) * {{ tables }}u + q{{ s }}];
{% if s + 1 < tables %}
        bits{{ i }} = next_bits(bits{{ i }});
{% endif %}
{% endfor %}
{% endfor %}
