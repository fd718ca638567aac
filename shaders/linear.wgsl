{# The linear steps at the beginning of a turn. #}
{% from "register.wgsl" import register %}
{% macro limb(unit, j, kept) %}{% set name = "product" if unit.register is none else register(unit.register, kept) %}{% if not unit.twice %}i32({{ name }}[{{ j }}]){% elif j == 0 %}i32(({{ name }}[0] << 1u) & LIMB_MASK){% else %}i32(((({{ name }}[{{ j }}] << 1u) | ({{ name }}[{{ j - 1 }}] >> 29u))) & LIMB_MASK){% endif %}{% endmacro %}
{% macro linear(step, kept) %}
{% set value = "product" if step.value is none else register(step.value, kept) %}
{% if step.scale == 1 and not step.terms and step.offset == 0 %}
                {{ register(step.destination, kept) }} = {{ value }};
{% elif step.columns %}
                var sum: Big;
                var column = 0;
{% for multiple in step.multiple %}
{% set j = loop.index0 %}
                column += {% for unit in step.columns[0] %}{{ " + " if not loop.first }}{{ limb(unit, j, kept) }}{% endfor %}{% if step.offset > 0 %}{{ " + " if step.columns[0] }}{{ multiple }}{% endif %}{% for unit in step.columns[1] %} - {{ limb(unit, j, kept) }}{% endfor %};
                sum[{{ j }}] = u32(column) & LIMB_MASK;
                column = column >> 30u;
{% endfor %}
                {{ register(step.destination, kept) }} = sum;
{% else %}
{% set terms = step.terms + [[0, 0], [0, 0]] %}
                {{ register(step.destination, kept) }} = big_combine({{ value }}, {{ step.scale }}, {{ register(terms[0][1], kept) }}, {{ terms[0][0] }}, {{ register(terms[1][1], kept) }}, {{ terms[1][0] }}, {{ step.offset }}u);
{% endif %}
{% endmacro %}

{% macro all(steps, kept) %}
{% for step in steps %}
                {
{{ linear(step, kept) }}
                }
{% endfor %}
{% endmacro %}
