
// Decimation in time (Cooley, Tukey 1965), from bit-reversed to natural order of the rows. Values in the tile are below
// 2 r; a product with an entry is below r + r / 2^12 if the value is below 8 r.
fn transform_rows(lane: u32) {
    let column = low_digits(lane, LOG_COLUMNS);
    let quad = lane >> LOG_COLUMNS;
{% if log_rows % 2 == 0 %}
    // The first blocks of four rows: the only twiddle that is not 1 is the root of order 4.
    {
        let first = (quad << (2u + LOG_COLUMNS)) | column;
        let step = 1u << LOG_COLUMNS;
        let x0 = load(first);
        let x1 = load(first + step);
        let x2 = load(first + 2u * step);
        let x3 = load(first + 3u * step);
        let y0 = sum(x0, x1);
        let y1 = difference_2(x0, x1);
        let y2 = sum(x2, x3);
        let y3 = big_mul(difference_2(x2, x3), root(2u, 1u));
        store(first, reduce_8(sum(y0, y2)));
        store(first + step, reduce_8(sum(y1, y3)));
        store(first + 2u * step, reduce_8(difference_4(y0, y2)));
        store(first + 3u * step, reduce_8(difference_2(y1, y3)));
    }
{% else %}
    // The first blocks of two rows.
    for (var pair = 0u; pair < 2u; pair++) {
        let butterfly = pair * WORKGROUP + lane;
        let first = ((butterfly >> LOG_COLUMNS) << (1u + LOG_COLUMNS)) | low_digits(butterfly, LOG_COLUMNS);
        let second = first + (1u << LOG_COLUMNS);
        let x0 = load(first);
        let x1 = load(second);
        store(first, reduce_4(sum(x0, x1)));
        store(second, reduce_4(difference_2(x0, x1)));
    }
{% endif %}
    workgroupBarrier();
    // Four blocks become one of 2^left rows.
    for (var left = {{ 4 if log_rows % 2 == 0 else 3 }}u; left <= params.log_rows; left += 2u) {
        let quarter = left - 2u;
        let inner = low_digits(quad, quarter);
        let first = ((((quad >> quarter) << left) | inner) << LOG_COLUMNS) | column;
        let step = 1u << (quarter + LOG_COLUMNS);
        let half_root = root(left - 1u, inner);
        let x0 = load(first);
        let p1 = big_mul(load(first + step), half_root);
        let x2 = load(first + 2u * step);
        let p3 = big_mul(load(first + 3u * step), half_root);
        let y0 = sum(x0, p1);
        let y2 = big_mul(sum(x2, p3), root(left, inner));
        store(first, reduce_8(sum(y0, y2)));
        store(first + 2u * step, reduce_8(difference_2(y0, y2)));
        let y1 = difference_2(x0, p1);
        let y3 = big_mul(difference_2(x2, p3), root(left, inner + (1u << quarter)));
        store(first + step, reduce_8(sum(y1, y3)));
        store(first + 3u * step, reduce_8(difference_2(y1, y3)));
        workgroupBarrier();
    }
}
