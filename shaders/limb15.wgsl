{# Halves of 15 bits of an element's limb, and of a limb of p. #}
{% macro half(name, j) %}{% if j % 2 == 0 %}({{ name }}[{{ j // 2 }}] & 0x7fffu){% else %}({{ name }}[{{ j // 2 }}] >> 15u){% endif %}{% endmacro %}
{% macro half_of_p(limb, j) %}{% if j % 2 == 0 %}{{ limb % 32768 }}{% else %}{{ limb // 32768 }}{% endif %}{% endmacro %}
{# A row of Montgomery's reduction of the columns t0, t1, ...: adds as many times p that they can be divided by 2^15, and divides. #}
{% macro divide_row(field) %}
            let m = (t0 * {{ field.minus_inverse % 32768 }}u) & 0x7fffu;
            t0 = t1 + m * {{ half_of_p(field.p[0], 1) }}u + ((t0 + m * {{ half_of_p(field.p[0], 0) }}u) >> 15u);
{% for j in range(2, 2 * field.limbs) %}
            t{{ j - 1 }} = t{{ j }} + m * {{ half_of_p(field.p[j // 2], j) }}u;
{% endfor %}
            t{{ 2 * field.limbs - 1 }} = 0u;
{% endmacro %}
{# Carries these columns: all but the last are below 2^15 then. #}
{% macro carry_row(field) %}
{% for j in range(2 * field.limbs - 1) %}
            t{{ j + 1 }} += t{{ j }} >> 15u;
            t{{ j }} &= 0x7fffu;
{% endfor %}
{% endmacro %}
