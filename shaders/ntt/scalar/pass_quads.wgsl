// Four scalars a thread. They differ in two digits of their slots, `low` and the one above: x0 and x2 in the digit of
// the first stage, x0 and x1 in that of the second. An odd number of stages ends with the second stage of a quad.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    // Two and four, but no compiler knows, so that the loops below stay loops.
    let stages = 2u * min(params.group_count, 1u);
    let shares = 2u * stages;
    for (var done = 0u; done < params.log_rows; done += 2u) {
        let is_single = done + 1u == params.log_rows;
{% if time %}
        // A vector of two scalars has no second digit; the other one is a column's.
        let low = min(done + LOG_COLUMNS, LOG_COLUMNS + LOG_ROWS - 2u);
        let high_first = is_single;
{% else %}
        let low = LOG_COLUMNS + select(params.log_rows - 2u - done, 0u, is_single);
        let high_first = !is_single;
{% endif %}
        let first = ((lane >> low) << (low + 2u)) | low_digits(lane, low);
        var step1 = select(2u, 1u, high_first) << low;
        var step2 = select(1u, 2u, high_first) << low;
        var x0 = Lazy();
        var x1 = Lazy();
        var x2 = Lazy();
        var x3 = Lazy();
        if (done == 0u) {
{% if load == "one" %}
            x0 = input(index_of(group, first));
            x1 = input(index_of(group, first | step1));
            x2 = input(index_of(group, first | step2));
            x3 = input(index_of(group, first | step1 | step2));
{% else %}
            for (var share = 0u; share < shares; share++) {
                x0 = x1;
                x1 = x2;
                x2 = x3;
                x3 = input(index_of(group, first | ((share & 1u) * step1) | ((share >> 1u) * step2)));
            }
{% endif %}
        } else {
            workgroupBarrier();
            x0 = load(first);
            x1 = load(first | step1);
            x2 = load(first | step2);
            x3 = load(first | step1 | step2);
        }
        let within = low_digits(index_of(group, first), params.log_n);
        let digit = params.row_digit + low - LOG_COLUMNS;
{% if time %}
        let twiddle = low_digits(within, digit) << (params.log_n - 1u - digit);
{% else %}
        let twiddle = within >> (digit + 2u);
{% endif %}
        for (var stage = select(0u, 1u, is_single); stage < stages; stage++) {
            let at = twiddle {{ ">>" if time else "<<" }} stage;
            x0 = settled(x0);
            x1 = settled(x1);
            var y0 = settled(x2);
            var y1 = settled(x3);
{% if first %}
            // The twiddles of the transform's first two stages are 1 and the root of order 4.
            if (done > 0u) {
                y0 = product(x2, entry(at));
            }
            if (done + stage > 0u) {
                y1 = product(x3, entry(at + stage * params.second));
            }
{% else %}
            y0 = product(x2, entry(at));
            y1 = product(x3, entry(at + stage * params.second));
{% endif %}
            // The pairs of the next stage.
            x2 = sum(x1, y1);
            x3 = difference(x1, y1);
            x1 = difference(x0, y0);
            x0 = sum(x0, y0);
            let step = step1;
            step1 = step2;
            step2 = step;
        }
        if (done + 2u >= params.log_rows) {
            for (var share = 0u; share < shares; share++) {
                output(index_of(group, first | ((share & 1u) * step1) | ((share >> 1u) * step2)), x0);
                x0 = x1;
                x1 = x2;
                x2 = x3;
            }
        } else {
            store(first, x0);
            store(first | step1, x1);
            store(first | step2, x2);
            store(first | step1 | step2, x3);
        }
    }
}
