{# Halves of 15 bits of an element's limb, and of a limb of p. #}
{% macro half(name, j) %}{% if j % 2 == 0 %}({{ name }}[{{ j // 2 }}] & 0x7fffu){% else %}({{ name }}[{{ j // 2 }}] >> 15u){% endif %}{% endmacro %}
{% macro half_of_p(limb, j) %}{% if j % 2 == 0 %}{{ limb % 32768 }}{% else %}{{ limb // 32768 }}{% endif %}{% endmacro %}
