{# The steps of a tile on the registers x0, x1, ... of thread q in column `column`; `at` is
   declared before. Where `late` is set, the threads of the last steps, from step `late` on,
   are numbered `q_late` and `column_late`. Unless `early` is set, the twiddles of a step are
   loaded just before the barrier that it waits for. #}
{% for step in steps %}
{% set i = loop.index0 %}
{% set suffix = "_late" if late and i >= late else "" %}
    // The window is bits {{ step.window }} to {{ step.window + log_registers - 1 }} of the row.
{% if i > 0 %}
{% for slot in steps[i - 1].slots %}
    tile[at ^ {{ slot }}u] = x{{ loop.index0 }};
{% endfor %}
{% endif %}
{% if not early %}
    let low{{ i }} = q{{ suffix }} & {{ 2 ** step.window - 1 }}u;
{{ step.loads }}
{% if outer_step == i %}
{% include "ntt/outer.wgsl" %}
{% endif %}
{% endif %}
{% if i > 0 %}
    workgroupBarrier();
    at = place(row_of(q{{ suffix }}, {{ step.window }}u), column{{ suffix }});
{% for slot in step.slots %}
    x{{ loop.index0 }} = tile[at ^ {{ slot }}u];
{% endfor %}
{% else %}
    at = place(row_of(q{{ suffix }}, {{ step.window }}u), column{{ suffix }});
{% endif %}
{{ step.body }}
{% endfor %}
