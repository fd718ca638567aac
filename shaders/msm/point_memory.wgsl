{# Functions that load and store points of a buffer. `cached` coordinates of an accumulator lie in workgroup memory. #}
{% from "register.wgsl" import register %}
{% macro lane(word) %}v{{ word // 4 }}.{{ ["x", "y", "z", "w"][word % 4] }}{% endmacro %}

{% macro loader(name, buffer, first, size, field, cached=0) %}
{% set vectors = (size * field.lazy_words + 3) // 4 %}
// Loads point `slot` into the {{ "accumulator" if first == 0 else "addend" }}. Returns whether it is finite.
fn {{ name }}(slot: u32) -> bool {
{% for i in range(vectors) %}
    let v{{ i }} = {{ buffer }}[slot * {{ vectors }}u + {{ i }}u];
{% endfor %}
{% for k in range(size) %}
    {{ register(first + k, cached) }} = big_unpack_lazy(Words_lazy({% for i in range(field.lazy_words) %}{{ lane(k * field.lazy_words + i) }}, {% endfor %}));
{% endfor %}
    return ({% for i in range(field.lazy_words) %}{{ lane(2 * field.lazy_words + i) }}{{ " | " if not loop.last }}{% endfor %}) != 0u;
}
{% endmacro %}

{% macro storer(name, buffer, size, field, cached=0) %}
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
    let c{{ k }} = big_pack_lazy({{ register(k, cached) }});
{% endfor %}
{% for v in range(vectors) %}
    {{ buffer }}[slot * {{ vectors }}u + {{ v }}u] = vec4({% for i in range(4) %}{% set word = 4 * v + i %}{% if word < size * field.lazy_words %}c{{ word // field.lazy_words }}[{{ word % field.lazy_words }}]{% else %}0u{% endif %}{{ ", " if not loop.last }}{% endfor %});
{% endfor %}
}
{% endmacro %}

{% macro coordinate(name, buffer, which, field) %}
{% set first = which * field.words %}
// One coordinate of affine point `index`.
fn {{ name }}(index: u32) -> Big {
{% for i in range(first // 4, (first + field.words + 3) // 4) %}
    let v{{ i }} = {{ buffer }}[index * {{ 2 * field.words // 4 }}u + {{ i }}u];
{% endfor %}
    return big_unpack_canonical(Words_canonical({% for i in range(field.words) %}{{ lane(first + i) }}, {% endfor %}));
}
{% endmacro %}

{% macro affine_storer(name, buffer, field) %}
// Stores affine point `index`, of canonical coordinates.
fn {{ name }}(index: u32, x: Big, y: Big) {
    let c0 = big_pack_canonical(x);
    let c1 = big_pack_canonical(y);
{% for v in range(2 * field.words // 4) %}
    {{ buffer }}[index * {{ 2 * field.words // 4 }}u + {{ v }}u] = vec4({% for i in range(4) %}{% set word = 4 * v + i %}c{{ word // field.words }}[{{ word % field.words }}]{{ ", " if not loop.last }}{% endfor %});
{% endfor %}
}
{% endmacro %}

{% macro element_loader(name, buffer, field) %}
{% set vectors = (field.lazy_words + 3) // 4 %}
// Loads a lazy element of a list, which has {{ vectors }} vectors for each.
fn {{ name }}(index: u32) -> Big {
{% for i in range(vectors) %}
    let v{{ i }} = {{ buffer }}[index * {{ vectors }}u + {{ i }}u];
{% endfor %}
    return big_unpack_lazy(Words_lazy({% for i in range(field.lazy_words) %}{{ lane(i) }}, {% endfor %}));
}
{% endmacro %}

{% macro element_storer(name, buffer, field) %}
{% set vectors = (field.lazy_words + 3) // 4 %}
// Stores a lazy element of a list.
fn {{ name }}(index: u32, element: Big) {
    let w = big_pack_lazy(element);
{% for v in range(vectors) %}
    {{ buffer }}[index * {{ vectors }}u + {{ v }}u] = vec4({% for i in range(4) %}{% if 4 * v + i < field.lazy_words %}w[{{ 4 * v + i }}]{% else %}0u{% endif %}{{ ", " if not loop.last }}{% endfor %});
{% endfor %}
}
{% endmacro %}

{% macro affine_loader(name, target, first, field) %}
{% set vectors = 2 * field.words // 4 %}
// Loads an affine point of the table into {{ target }}, negated if asked. Returns whether it
// is finite: (0, 0) stands for infinity.
fn {{ name }}(index: u32, negative: bool) -> bool {
    var any = vec4(0u);
{% for i in range(vectors) %}
    let v{{ i }} = points[index * {{ vectors }}u + {{ i }}u];
    any |= v{{ i }};
{% endfor %}
{% for k in range(2) %}
    r{{ first + k }} = big_unpack_canonical(Words_canonical({% for i in range(field.words) %}{{ lane(k * field.words + i) }}, {% endfor %}));
{% endfor %}
    if (negative) {
        r{{ first + 1 }} = big_neg(r{{ first + 1 }});
    }
    return (any.x | any.y | any.z | any.w) != 0u;
}
{% endmacro %}
