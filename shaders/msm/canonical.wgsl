{# The function that gives a value below `multiple` p modulo p. #}
{% macro canonical(multiple) %}{% if multiple <= 2 %}big_canonical{% elif multiple <= 4 %}big_canonical_4{% else %}big_canonical_6{% endif %}{% endmacro %}
