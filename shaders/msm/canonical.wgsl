{# The function that gives a value below `multiple` p modulo p. #}
{% macro canonical(multiple) %}{% if multiple <= 2 %}big_canonical{% else %}big_canonical_4{% endif %}{% endmacro %}
