{# All twiddles of a tile at once, where `early` is set. #}
{% if early %}
{% for step in steps %}
    let low{{ loop.index0 }} = q{{ "_late" if late and loop.index0 >= late else "" }} & {{ 2 ** step.window - 1 }}u;
{{ step.loads }}
{% endfor %}
{% if outer_step >= 0 %}
{% include "ntt/outer.wgsl" %}
{% endif %}
{% endif %}
