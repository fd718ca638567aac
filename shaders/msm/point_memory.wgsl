{# Functions that load and store points of a buffer. `cached` coordinates of an accumulator lie in workgroup memory. #}
{% from "register.wgsl" import register %}
{% from "msm/coordinate.wgsl" import C %}
{% macro lane(word) %}v{{ word // 4 }}.{{ ["x", "y", "z", "w"][word % 4] }}{% endmacro %}

{% macro element(form, words, first) %}big_unpack_{{ form }}(Words_{{ form }}({% for i in range(words) %}{{ lane(first + i) }}, {% endfor %})){% endmacro %}
{# The coordinate of elements of `words` words that begins with word `first`. #}
{% macro unpacked(form, words, first, field) %}{% if field.degree == 2 %}Ext({{ element(form, words, first) }}, {{ element(form, words, first + words) }}){% else %}{{ element(form, words, first) }}{% endif %}{% endmacro %}

{# Vector v of `words` words; behind those it is filled with zeros. #}
{% macro vector(name, v, words) %}vec4({% for i in range(4 * v, 4 * v + 4) %}{% if i < words %}{{ name }}[{{ i }}]{% else %}0u{% endif %}{{ ", " if not loop.last }}{% endfor %}){% endmacro %}

{# The words w0, w1, ... of element k of point `slot`, of `vectors` vectors. #}
{% macro words_at(buffer, vectors, field) %}
{% if field.lazy_words % 4 == 0 %}
        let at = slot * {{ vectors }}u + k * {{ field.lazy_words // 4 }}u;
{% for v in range(field.lazy_words // 4) %}
        let v{{ v }} = {{ buffer }}[at + {{ v }}u];
{% endfor %}
{% for i in range(field.lazy_words) %}
        let w{{ i }} = {{ lane(i) }};
{% endfor %}
{% else %}
        let at = slot * {{ 4 * vectors }}u + k * {{ field.lazy_words }}u;
{% for i in range(field.lazy_words) %}
        let w{{ i }} = {{ buffer }}[(at + {{ i }}u) / 4u][(at + {{ i }}u) % 4u];
{% endfor %}
{% endif %}
{% endmacro %}

{% macro loader(name, buffer, first, size, field, cached=0) %}
{% set vectors = (size * field.lazy_words + 3) // 4 %}
// Loads point `slot` into the {{ "accumulator" if first == 0 else "addend" }}. Returns whether it is finite.
{% if cached == "all" %}
// One element at a time is in registers: no compiler unrolls the loop.
fn {{ name }}(slot: u32) -> bool {
    var third = 0u;
    let elements = {{ size }}u * min(params.group_count, 1u);
    for (var k = 0u; k < elements; k++) {
{{ words_at(buffer, vectors, field) }}
        r[{{ first }}u + k][own] = big_unpack_lazy(Words_lazy({% for i in range(field.lazy_words) %}w{{ i }}, {% endfor %}));
        if (k >= {{ 2 * field.degree }}u && k < {{ 3 * field.degree }}u) {
            third |= {% for i in range(field.lazy_words) %}w{{ i }}{{ " | " if not loop.last }}{% endfor %};
        }
    }
    return third != 0u;
}
{% else %}
fn {{ name }}(slot: u32) -> bool {
{% for i in range(vectors) %}
    let v{{ i }} = {{ buffer }}[slot * {{ vectors }}u + {{ i }}u];
{% endfor %}
{% for k in range(size) %}
    {{ register(first + k, cached) }} = big_unpack_lazy(Words_lazy({% for i in range(field.lazy_words) %}{{ lane(k * field.lazy_words + i) }}, {% endfor %}));
{% endfor %}
    return ({% for i in range(field.degree * field.lazy_words) %}{{ lane(2 * field.degree * field.lazy_words + i) }}{{ " | " if not loop.last }}{% endfor %}) != 0u;
}
{% endif %}
{% endmacro %}

{% macro storer(name, buffer, size, field, cached=0) %}
{% set vectors = (size * field.lazy_words + 3) // 4 %}
// Stores the accumulator as point `slot`.
{% if cached == "all" %}
fn {{ name }}(slot: u32) {
    let elements = {{ size }}u * min(params.group_count, 1u);
    for (var k = 0u; k < elements; k++) {
        var w: Words_lazy;
        if (finite) {
            w = big_pack_lazy(r[k][own]);
        }
{% if field.lazy_words % 4 == 0 %}
        let at = slot * {{ vectors }}u + k * {{ field.lazy_words // 4 }}u;
{% for v in range(field.lazy_words // 4) %}
        {{ buffer }}[at + {{ v }}u] = {{ vector("w", v, field.lazy_words) }};
{% endfor %}
{% else %}
        let at = slot * {{ 4 * vectors }}u + k * {{ field.lazy_words }}u;
{% for i in range(field.lazy_words) %}
        {{ buffer }}[(at + {{ i }}u) / 4u][(at + {{ i }}u) % 4u] = w[{{ i }}];
{% endfor %}
{% endif %}
    }
{% for word in range(size * field.lazy_words, 4 * vectors) %}
    {{ buffer }}[slot * {{ vectors }}u + {{ word // 4 }}u].{{ ["x", "y", "z", "w"][word % 4] }} = 0u;
{% endfor %}
}
{% else %}
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
{% endif %}
{% endmacro %}

{% macro coordinate(name, buffer, which, field) %}
{% set words = field.degree * field.words %}
{% set first = which * words %}
// One coordinate of affine point `index`.
fn {{ name }}(index: u32) -> {{ C(field) }} {
{% for i in range(first // 4, (first + words + 3) // 4) %}
    let v{{ i }} = {{ buffer }}[index * {{ 2 * words // 4 }}u + {{ i }}u];
{% endfor %}
    return {{ unpacked("canonical", field.words, first, field) }};
}
{% endmacro %}

{# Of affine points, element k of their coordinates: those of x and then those of y. #}
{% macro element_of_affine(name, buffer, field) %}
{% set vectors = field.degree * field.words // 2 %}
// Element k of the coordinates of affine point `index`: those of x and then those of y.
fn {{ name }}(index: u32, k: u32) -> Big {
{% if field.words % 4 == 0 %}
    let begin = index * {{ vectors }}u + k * {{ field.words // 4 }}u;
{% for i in range(field.words // 4) %}
    let v{{ i }} = {{ buffer }}[begin + {{ i }}u];
{% endfor %}
    return {{ element("canonical", field.words, 0) }};
{% else %}
    let begin = index * {{ vectors }}u;
    if (k == 0u) {
{% for i in range((field.words + 3) // 4) %}
        let v{{ i }} = {{ buffer }}[begin + {{ i }}u];
{% endfor %}
        return {{ element("canonical", field.words, 0) }};
    }
{% for i in range(field.words // 4, vectors) %}
    let v{{ i }} = {{ buffer }}[begin + {{ i }}u];
{% endfor %}
    return {{ element("canonical", field.words, field.words) }};
{% endif %}
}
{% endmacro %}

{# The elements must fill whole vectors, which those of extensions do. #}
{% macro element_of_affine_storer(name, buffer, field) %}
// Stores element k of the coordinates of affine point `index`, which is canonical.
fn {{ name }}(index: u32, k: u32, element: Big) {
    let w = big_pack_canonical(element);
    let begin = index * {{ field.degree * field.words // 2 }}u + k * {{ field.words // 4 }}u;
{% for v in range(field.words // 4) %}
    {{ buffer }}[begin + {{ v }}u] = {{ vector("w", v, field.words) }};
{% endfor %}
}
{% endmacro %}

{% macro affine_storer(name, buffer, field) %}
// Stores affine point `index`, of canonical coordinates.
fn {{ name }}(index: u32, x: {{ C(field) }}, y: {{ C(field) }}) {
{% for coordinate in ["x", "y"] %}
{% set k = loop.index0 * field.degree %}
{% for part in ([".c0", ".c1"] if field.degree == 2 else [""]) %}
    let c{{ k + loop.index0 }} = big_pack_canonical({{ coordinate }}{{ part }});
{% endfor %}
{% endfor %}
{% set vectors = 2 * field.degree * field.words // 4 %}
{% for v in range(vectors) %}
    {{ buffer }}[index * {{ vectors }}u + {{ v }}u] = vec4({% for i in range(4) %}{% set word = 4 * v + i %}c{{ word // field.words }}[{{ word % field.words }}]{{ ", " if not loop.last }}{% endfor %});
{% endfor %}
}
{% endmacro %}

{% macro element_loader(name, buffer, field) %}
{% set vectors = (field.lazy_words + 3) // 4 %}
// Loads a coordinate of a list, which has {{ vectors }} vectors for each lazy element.
fn {{ name }}(index: u32) -> {{ C(field) }} {
{% for i in range(field.degree * vectors) %}
    let v{{ i }} = {{ buffer }}[index * {{ field.degree * vectors }}u + {{ i }}u];
{% endfor %}
    return {% if field.degree == 2 %}Ext({{ element("lazy", field.lazy_words, 0) }}, {{ element("lazy", field.lazy_words, 4 * vectors) }}){% else %}{{ element("lazy", field.lazy_words, 0) }}{% endif %};
}
{% endmacro %}

{% macro element_storer(name, buffer, field) %}
{% set vectors = (field.lazy_words + 3) // 4 %}
// Stores a coordinate of a list.
fn {{ name }}(index: u32, element: {{ C(field) }}) {
{% for part in ([".c0", ".c1"] if field.degree == 2 else [""]) %}
    {
        let w = big_pack_lazy(element{{ part }});
        let begin = index * {{ field.degree * vectors }}u + {{ loop.index0 * vectors }}u;
{% for v in range(vectors) %}
        {{ buffer }}[begin + {{ v }}u] = {{ vector("w", v, field.lazy_words) }};
{% endfor %}
    }
{% endfor %}
}
{% endmacro %}

{% macro affine_loader(name, target, first, field, cached=0) %}
{% set vectors = 2 * field.degree * field.words // 4 %}
// Loads an affine point of the table into {{ target }}, negated if asked. Returns whether it
// is finite: (0, 0) stands for infinity.
fn {{ name }}(index: u32, negative: bool) -> bool {
    var any = vec4(0u);
{% for i in range(vectors) %}
    let v{{ i }} = points[index * {{ vectors }}u + {{ i }}u];
    any |= v{{ i }};
{% endfor %}
{% for k in range(2 * field.degree) %}
    {{ register(first + k, cached) }} = big_unpack_canonical(Words_canonical({% for i in range(field.words) %}{{ lane(k * field.words + i) }}, {% endfor %}));
{% endfor %}
    if (negative) {
{% for k in range(field.degree, 2 * field.degree) %}
        {{ register(first + k, cached) }} = big_neg({{ register(first + k, cached) }});
{% endfor %}
    }
    return (any.x | any.y | any.z | any.w) != 0u;
}
{% endmacro %}

{% macro one_loader(name, buffer, coordinates, field) %}
{% set words = coordinates * field.degree * field.lazy_words %}
// Element `which` of point `slot` in a buffer of words.
fn {{ name }}(slot: u32, which: u32) -> Big {
    let begin = slot * {{ (words + 3) // 4 * 4 }}u + which * {{ field.lazy_words }}u;
    return big_unpack_lazy(Words_lazy({% for word in range(field.lazy_words) %}{{ buffer }}[begin + {{ word }}u], {% endfor %}));
}
{% endmacro %}

{% macro one_storer(name, buffer, coordinates, field) %}
{% set words = coordinates * field.degree * field.lazy_words %}
// Stores element `which` of point `slot` in a buffer of words.
fn {{ name }}(slot: u32, which: u32, element: Big) {
    let begin = slot * {{ (words + 3) // 4 * 4 }}u + which * {{ field.lazy_words }}u;
    let words = big_pack_lazy(element);
{% for word in range(field.lazy_words) %}
    {{ buffer }}[begin + {{ word }}u] = words[{{ word }}];
{% endfor %}
}
{% endmacro %}

{# Of coordinates that two threads share, a thread loads element `part`. #}

{% macro affine_part_loader(name, buffer, field) %}
{% set vectors = field.words // 4 %}
// Element `part` of one coordinate of affine point `index`, 0 for x and 1 for y.
fn {{ name }}(index: u32, coordinate: u32, part: u32) -> Big {
    let begin = ((2u * index + coordinate) * 2u + part) * {{ vectors }}u;
{% for i in range(vectors) %}
    let v{{ i }} = {{ buffer }}[begin + {{ i }}u];
{% endfor %}
    return {{ element("canonical", field.words, 0) }};
}
{% endmacro %}
