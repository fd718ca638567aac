// Multiplies rows of a sparse matrix by a vector. Row i of the dispatch is row rows[i].x of the product; its entries begin at
// rows[i].y and end where those of the next row begin. An entry is a column, and the place of its factor in a table of
// different factors.
{% if shared %}
// A workgroup computes one row: its threads take entries in turn, and add up their sums in workgroup memory.
{% else %}
// A thread computes one row.
{% endif %}
{% if adds %}
// The sums are added to what the product has.
{% endif %}

{% include "ntt/scalar/field.wgsl" %}
{% include "ntt/scalar/store.wgsl" %}
{% if shared %}

var<workgroup> low_sums: array<vec4<u32>, WORKGROUP>;
var<workgroup> high_sums: array<vec4<u32>, WORKGROUP>;
{% endif %}

// The sum of every entry from `begin` on, `stride` apart, times the scalar of its column: below 2 r.
fn sum_of(begin: u32, end: u32, stride: u32) -> Big {
    var total: Big;
    for (var i = begin; i < end; i += stride) {
        let column = entries[i].x;
        let factor = entries[i].y;
        let x = scalar_of(source_scalars[2u * column], source_scalars[2u * column + 1u]);
        // Factors are in the kernels' form, so the product, which is below 2 r, keeps that of the scalar.
        let product = big_mul(x, scalar_of(factors[2u * factor], factors[2u * factor + 1u]));
        total = big_subtract_2p(sum(total, product));
    }
    return total;
}
{% if adds %}

// x, below 2 r, added to a scalar of the product: below 2 r.
fn added(row: u32, x: Big) -> Big {
    return big_subtract_2p(sum(x, scalar_of(target_scalars[2u * row], target_scalars[2u * row + 1u])));
}
{% endif %}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
{% if shared %}
    let row = workgroup_index(id, count);
    // A grid that is folded has groups behind the last row.
    if (row >= params.rows) {
        return;
    }
    var total = sum_of(rows[row].y + lane, rows[row + 1u].y, WORKGROUP);
    for (var width = WORKGROUP / 2u; width > 0u; width /= 2u) {
        let w = big_pack_canonical(total);
        low_sums[lane] = vec4(w[0], w[1], w[2], w[3]);
        high_sums[lane] = vec4(w[4], w[5], w[6], w[7]);
        workgroupBarrier();
        if (lane < width) {
            total = big_subtract_2p(sum(total, scalar_of(low_sums[lane + width], high_sums[lane + width])));
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        store_scalar(rows[row].x, {{ "added(rows[row].x, total)" if adds else "total" }});
    }
{% else %}
    let row = workgroup_index(id, count) * WORKGROUP + lane;
    if (row >= params.rows) {
        return;
    }
{% set row_sum = "sum_of(rows[row].y, rows[row + 1u].y, 1u)" %}
    store_scalar(rows[row].x, {{ "added(rows[row].x, " ~ row_sum ~ ")" if adds else row_sum }});
{% endif %}
}
