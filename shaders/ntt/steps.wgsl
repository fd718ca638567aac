{# The steps of a tile on the registers x0, x1, ... of thread q in column `column`:

       for each step: exchange the registers with other threads through the tile, but for the first step
                      butterflies on the registers

   The including file declares `at` and `s`. If `late` is set, the threads are numbered `q_late` and
   `column_late` from step `late` on. The twiddles of a step are loaded just before the barrier that it
   waits for. #}
{% for step in steps %}
{% set i = loop.index0 %}
{% set is_late = late and i >= late %}
{% set row = step.row_late if is_late else step.row %}
{% set column_name = "column_late" if is_late else "column" %}
{% if i > 0 %}
{% for slot in steps[i - 1].slots %}
    tile[(at ^ {{ slot }}u) >> 2u] = x{{ loop.index0 }};
{% endfor %}
{% endif %}
{% if step.loads %}
    let low{{ i }} = {{ step.below_late if is_late else step.below }};
{{ step.loads }}
{% endif %}
{% if outer_step == i %}
{% include "ntt/outer.wgsl" %}
{% endif %}
{% if i > 0 %}
    workgroupBarrier();
    at = place({{ row }}, {{ column_name }});
{% for slot in step.slots %}
    x{{ loop.index0 }} = tile[(at ^ {{ slot }}u) >> 2u];
{% endfor %}
{% else %}
    at = place({{ row }}, {{ column_name }});
{% endif %}
{{ step.body }}
{% endfor %}
