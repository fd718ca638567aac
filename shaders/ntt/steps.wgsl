{# The steps of a tile on the registers x0, x1, ... of thread q in column `column`; `at`,
   `low` and `s` are declared before. #}
{% for step in steps %}
    // The window is bits {{ step.window }} to {{ step.window + log_registers - 1 }} of the row.
{% if not loop.first %}
{% for slot in steps[loop.index0 - 1].slots %}
    tile[at ^ {{ slot }}u] = x{{ loop.index0 }};
{% endfor %}
    workgroupBarrier();
    at = place(row_of(q, {{ step.window }}u), column);
{% for slot in step.slots %}
    x{{ loop.index0 }} = tile[at ^ {{ slot }}u];
{% endfor %}
{% else %}
    at = place(row_of(q, {{ step.window }}u), column);
{% endif %}
    low = q & {{ 2 ** step.window - 1 }}u;
    {
{{ step.body }}
    }
{% endfor %}
