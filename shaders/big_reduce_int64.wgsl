{#- The end of a multiplication: columns t become the limbs of their value / R. -#}
{% from "row30.wgsl" import carry, divide_row, limbs_of %}
{% for i in range(limbs) %}
{{ carry(field.carries[i]) }}
{{ divide_row(field, i) }}
{% endfor %}
{{ limbs_of(field) }}
