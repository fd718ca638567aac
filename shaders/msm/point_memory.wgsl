{# Functions that load and store points of a buffer. The callers pass `size` and `field`. #}
{% macro lane(word) %}v{{ word // 4 }}.{{ ["x", "y", "z", "w"][word % 4] }}{% endmacro %}

{% macro loader(name, buffer, size, field) %}
{% set vectors = (size * field.lazy_words + 3) // 4 %}
// Loads point `slot` into the registers from `to` on. Returns whether it is finite.
fn {{ name }}(slot: u32, to: u32) -> bool {
{% for i in range(vectors) %}
    let v{{ i }} = {{ buffer }}[slot * {{ vectors }}u + {{ i }}u];
{% endfor %}
{% for k in range(size) %}
    registers[to + {{ k }}u] = big_unpack_lazy(Words_lazy({% for i in range(field.lazy_words) %}{{ lane(k * field.lazy_words + i) }}, {% endfor %}));
{% endfor %}
    return ({% for i in range(field.lazy_words) %}{{ lane(2 * field.lazy_words + i) }}{{ " | " if not loop.last }}{% endfor %}) != 0u;
}
{% endmacro %}

{% macro storer(name, buffer, size, field) %}
{% set vectors = (size * field.lazy_words + 3) // 4 %}
// Stores the accumulator as point `slot`.
fn {{ name }}(slot: u32) {
    if (!finite) {
        for (var i = 0u; i < {{ vectors }}u; i++) {
            {{ buffer }}[slot * {{ vectors }}u + i] = vec4(0u);
        }
        return;
    }
{% for k in range(size) %}
    let c{{ k }} = big_pack_lazy(registers[{{ k }}]);
{% endfor %}
{% for v in range(vectors) %}
    {{ buffer }}[slot * {{ vectors }}u + {{ v }}u] = vec4({% for i in range(4) %}{% set word = 4 * v + i %}{% if word < size * field.lazy_words %}c{{ word // field.lazy_words }}[{{ word % field.lazy_words }}]{% else %}0u{% endif %}{{ ", " if not loop.last }}{% endfor %});
{% endfor %}
}
{% endmacro %}
