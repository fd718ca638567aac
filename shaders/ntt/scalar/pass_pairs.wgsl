// Two scalars a thread, which differ in digit `low` of their slots.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_index(id, count);
    for (var done = 0u; done < params.log_rows; done++) {
{% if time %}
        let low = LOG_COLUMNS + done;
{% else %}
        let low = LOG_COLUMNS + params.log_rows - 1u - done;
{% endif %}
        let first = ((lane >> low) << (low + 1u)) | low_digits(lane, low);
        let second = first | (1u << low);
        let index = index_of(group, first);
        let within = low_digits(index, params.log_n);
        let digit = params.row_digit + low - LOG_COLUMNS;
{% if time %}
        let twiddle = entry(low_digits(within, digit) << (params.log_n - 1u - digit));
{% else %}
        let twiddle = entry(within >> (digit + 1u));
{% endif %}
        var x = Lazy();
        var y = Lazy();
        if (done == 0u) {
            x = input(index);
            y = input(index_of(group, second));
        } else {
            workgroupBarrier();
            x = load(first);
            y = load(second);
        }
        x = settled(x);
{% if first %}
        // The twiddles of the transform's first stage are 1.
        if (done == 0u) {
            y = settled(y);
        } else {
            y = product(y, twiddle);
        }
{% else %}
        y = product(y, twiddle);
{% endif %}
        let above = sum(x, y);
        let below = difference(x, y);
        if (done + 1u == params.log_rows) {
            output(index, above);
            output(index_of(group, second), below);
        } else {
            store(first, above);
            store(second, below);
        }
    }
}
