{# Carries columns t of 64 bits. #}
{% macro carry(columns) %}
{% for k in columns %}
    t{{ k + 1 }} += t{{ k }} >> 30u;
    t{{ k }} &= 0x3ffffffflu;
{% endfor %}
{% endmacro %}
{# Row i of Montgomery's reduction of the columns t: adds as many times p that column i becomes a multiple of 2^30, and carries it. #}
{% macro divide_row(field, i) %}
    {
        let m = u64((u32(t{{ i }}) * {{ field.minus_inverse }}u) & LIMB_MASK);
        t{{ i + 1 }} += m * {{ field.p[1] }}lu + ((t{{ i }} + m * {{ field.p[0] }}lu) >> 30u);
{% for j in range(2, field.limbs) %}
        t{{ i + j }} += m * {{ field.p[j] }}lu;
{% endfor %}
    }
{% endmacro %}
{# The end of a multiplication, after the rows of the reduction: the limbs of the columns' value / R. #}
{% macro limbs_of(field) %}
{{ carry(range(field.limbs, 2 * field.limbs - 1)) }}
    return Big({% for k in range(field.limbs, 2 * field.limbs) %}u32(t{{ k }}), {% endfor %});
{% endmacro %}
