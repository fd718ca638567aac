{# A coordinate is an element of the prime field, or two elements in an extension: its type, the prefixes of its functions
   and constants, and its registers, of which coordinate k has `degree`. #}
{% macro C(field) %}{{ "Ext" if field.degree == 2 else "Big" }}{% endmacro %}
{% macro prefix(field) %}{{ "ext" if field.degree == 2 else "big" }}{% endmacro %}
{% macro CONST(field) %}{{ "EXT" if field.degree == 2 else "BIG" }}{% endmacro %}
{% macro get(k, field) %}{% if field.degree == 2 %}Ext(r{{ 2 * k }}, r{{ 2 * k + 1 }}){% else %}r{{ k }}{% endif %}{% endmacro %}
{% macro put(k, value, field) %}{% if field.degree == 2 %}{ let value = {{ value }}; r{{ 2 * k }} = value.c0; r{{ 2 * k + 1 }} = value.c1; }{% else %}r{{ k }} = {{ value }};{% endif %}{% endmacro %}
{# The limbs of 1 or 0 for element k of a list of coordinates that are 1. #}
{% macro one(k, field) %}{{ "BIG_ONE" if k % field.degree == 0 else "BIG_ZERO" }}{% endmacro %}
