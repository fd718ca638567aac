{# The name of register k. Of an invocation's registers `kept` lie in workgroup memory: the first so many, or "all", which have numbers there. #}
{% macro register(k, kept) %}{% if kept == "all" %}r[{{ k }}u][own]{% else %}r{{ k }}{{ "[own]" if k < kept }}{% endif %}{% endmacro %}
