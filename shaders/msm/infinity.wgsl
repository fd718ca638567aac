{% set vectors = field.degree * field.words // 2 %}
// True if affine point `index` of the table is (0, 0), which stands for infinity. This is rare, so that a loop whose length no compiler
// knows, with few values at a time, does.
fn is_infinity(index: u32) -> bool {
    var any = vec4(0u);
    let count = {{ vectors }}u * min(params.group_count, 1u);
    for (var i = 0u; i < count; i++) {
        any |= points[index * {{ vectors }}u + i];
    }
    return (any.x | any.y | any.z | any.w) == 0u;
}
