{% from "register.wgsl" import register %}
// Makes the addend, a finite point, the accumulator.
fn copy_addend() {
{% for k in range(size) %}
    {{ register(k, kept) }} = {{ register(size + k, kept) }};
{% endfor %}
    finite = true;
}
