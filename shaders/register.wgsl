{# The name of register k. The first `cached` registers of an invocation lie in workgroup memory. #}
{% macro register(k, cached) %}r{{ k }}{{ "[own]" if k < cached }}{% endmacro %}
