{#- The end of a multiplication: columns t become the limbs of their value / R. -#}
{% for i in range(limbs) %}
{% for k in field.carries[i] %}
    t{{ k + 1 }} += t{{ k }} >> 30u;
    t{{ k }} &= 0x3ffffffflu;
{% endfor %}
    {
        let m = u64((u32(t{{ i }}) * {{ field.minus_inverse }}u) & LIMB_MASK);
        t{{ i + 1 }} += m * {{ field.p[1] }}lu + ((t{{ i }} + m * {{ field.p[0] }}lu) >> 30u);
{% for j in range(2, limbs) %}
        t{{ i + j }} += m * {{ field.p[j] }}lu;
{% endfor %}
    }
{% endfor %}
{% for k in range(limbs, 2 * limbs - 1) %}
    t{{ k + 1 }} += t{{ k }} >> 30u;
    t{{ k }} &= 0x3ffffffflu;
{% endfor %}
    return Big({% for k in range(limbs, 2 * limbs) %}u32(t{{ k }}), {% endfor %});
