// Load-balanced accumulation (Chen, Peng, Dai, Luo, He, TCHES 2024): every thread adds up
// the points of an equal slice of the sorted entries, bucket by bucket, and writes each sum
// to the slot thread + bucket of `partials`. Buckets only grow along the list, so no two
// threads share a slot, whatever the digits are.

{% include "msm/point.wgsl" %}
{% from "msm/point_memory.wgsl" import lane, storer %}
{{ storer("store_partial", "partials", size, field) }}

const NOTHING: u32 = 0xffffffffu;
{% set table_vectors = 2 * field.words // 4 %}

// Loads an affine point of the table into the addend, negated if asked. Returns whether it
// is finite: (0, 0) stands for infinity.
fn load_affine(index: u32, negative: bool) -> bool {
    var any = vec4(0u);
{% for i in range(table_vectors) %}
    let v{{ i }} = points[index * {{ table_vectors }}u + {{ i }}u];
    any |= v{{ i }};
{% endfor %}
{% for k in range(2) %}
    registers[SIZE + {{ k }}u] = big_unpack_canonical(Words_canonical({% for i in range(field.words) %}{{ lane(k * field.words + i) }}, {% endfor %}));
{% endfor %}
    if (negative) {
        registers[SIZE + 1u] = big_neg(registers[SIZE + 1u]);
    }
    return (any.x | any.y | any.z | any.w) != 0u;
}

fn add_affine() {
    if (finite) {
        finite = add_registers();
        return;
    }
    registers[0] = registers[SIZE];
    registers[1] = registers[SIZE + 1u];
{% for k in range(2, size) %}
    registers[{{ k }}] = BIG_ONE;
{% endfor %}
    finite = true;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let thread = workgroup_index(id, count) * WORKGROUP + lane;
    let first = thread * params.slice;
    if (thread >= params.threads || first >= params.entries) {
        return;
    }
    let last = min(first + params.slice, params.entries);
    var bucket = keys[first] + first / params.segment * params.buckets;
    for (var entry = first; entry < last; entry++) {
        let next = keys[entry] + entry / params.segment * params.buckets;
        if (next != bucket) {
            store_partial(thread + bucket);
            bucket = next;
            finite = false;
        }
        let value = values[entry];
        if (value != NOTHING && load_affine(value & 0x7fffffffu, value >> 31u == 1u)) {
            add_affine();
        }
    }
    store_partial(thread + bucket);
}
