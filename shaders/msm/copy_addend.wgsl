{% from "register.wgsl" import register %}
// Makes the addend, a finite point, the accumulator.
fn copy_addend() {
{% for k in range(size) %}
    {{ register(k, cached | default(0)) }} = r{{ size + k }};
{% endfor %}
    finite = true;
}
