
// Decimation in frequency (Gentleman, Sande 1966), from natural to bit-reversed order of the rows. Values in the tile
// are below 2 r; a product with an entry is below r + r / 2^12 if the value is below 8 r.
fn transform_rows(lane: u32) {
    let column = low_digits(lane, LOG_COLUMNS);
    let quad = lane >> LOG_COLUMNS;
    // Blocks of 2^left rows become four.
    for (var left = params.log_rows; left > 2u; left -= 2u) {
        let quarter = left - 2u;
        let inner = low_digits(quad, quarter);
        let first = ((((quad >> quarter) << left) | inner) << LOG_COLUMNS) | column;
        let step = 1u << (quarter + LOG_COLUMNS);
        let x0 = load(first);
        let x1 = load(first + step);
        let x2 = load(first + 2u * step);
        let x3 = load(first + 3u * step);
        let y0 = sum(x0, x2);
        let y1 = sum(x1, x3);
        store(first, reduce_8(sum(y0, y1)));
        let half_root = root(left - 1u, inner);
        store(first + step, big_mul(difference_4(y0, y1), half_root));
        let y2 = big_mul(difference_2(x0, x2), root(left, inner));
        let y3 = big_mul(difference_2(x1, x3), root(left, inner + (1u << quarter)));
        store(first + 2u * step, reduce_4(sum(y2, y3)));
        store(first + 3u * step, big_mul(difference_2(y2, y3), half_root));
        workgroupBarrier();
    }
{% if log_rows % 2 == 0 %}
    // The last blocks of four rows: the only twiddle that is not 1 is the root of order 4.
    let first = (quad << (2u + LOG_COLUMNS)) | column;
    let step = 1u << LOG_COLUMNS;
    let x0 = load(first);
    let x1 = load(first + step);
    let x2 = load(first + 2u * step);
    let x3 = load(first + 3u * step);
    let y0 = sum(x0, x2);
    let y1 = sum(x1, x3);
    let y2 = difference_2(x0, x2);
    let y3 = big_mul(difference_2(x1, x3), root(2u, 1u));
    store(first, reduce_8(sum(y0, y1)));
    store(first + step, reduce_8(difference_4(y0, y1)));
    store(first + 2u * step, reduce_8(sum(y2, y3)));
    store(first + 3u * step, reduce_8(difference_2(y2, y3)));
{% else %}
    // The last blocks of two rows.
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
}
