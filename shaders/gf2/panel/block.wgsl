// The panel before and after its search: loading and storing rows and pivots, and whether it is done.

// Loads the masks and slots of the block's columns.
fn load_block(lane: u32) {
    let base = INFO * params.block;
    if (lane < 8u) {
        present[lane] = info[base + lane];
        open[lane] = info[base + ELIGIBLE + lane] & ~info[base + lane];
    }
    slots[lane] = info[base + SLOTS + lane];
}

// True if there is nothing to do: after a failure, or in a second attempt if the first one was enough.
fn is_idle(lane: u32) -> bool {
    if (lane == 0u) {
        var idle = previous[FAILED] != 0u;
        if (idle) {
            outcome[FAILED] = previous[FAILED];
            outcome[BEFORE] = previous[BEFORE];
        }
        idle |= params.attempt == SECOND_ATTEMPT && outcome[AGAIN] == 0u;
        left_count = u32(idle);
    }
    return workgroupUniformLoad(&left_count) != 0u;
}

{% if in_order %}
// Finds the columns whose pivot is a promoted row, not an eliminator.
fn find_promoted(lane: u32) {
    if (lane < 8u) {
        atomicStore(&promoted[lane], 0u);
    }
    workgroupBarrier();
    if (slots[lane] < GIVEN) {
        atomicOr(&promoted[lane / 32u], 1u << (lane % 32u));
    }
}

{% endif %}
// The state of row k of the window.
fn load_row(k: u32) -> Row {
    if (k >= min(window_count, WINDOW)) {
        return Row();
    }
    let row = window_rows[k];
{% if window != "remainders" %}
    return Row(selections[row], selections[params.stride + row]);
{% else %}
    return Row(remainders[row], remainders[params.stride + row]);
{% endif %}
}

// The place of the state of a column's pivot.
fn state_at(column: u32) -> u32 {
    return 2u * (256u * params.block + column);
}

// The state of the pivot that column `lane` had before the panel, or zero.
fn load_pivot(lane: u32) -> Row {
    var pivot = Row();
    if (((present[lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        pivot = Row(states[state_at(lane)], states[state_at(lane) + 1u]);
    }
    return pivot;
}

fn store_pivot(pivot: Row, lane: u32) {
    let base = INFO * params.block;
    if (((info[base + lane / 32u] >> (lane % 32u)) & 1u) == 1u) {
        states[state_at(lane)] = pivot.low;
        states[state_at(lane) + 1u] = pivot.high;
    }
}

// Stores row k of the window as the pivot of column `lead`, unless that is NONE.
fn store_promoted(k: u32, lead: u32, row: Row) {
    if (lead != NONE) {
        states[state_at(lead)] = row.low;
        states[state_at(lead) + 1u] = row.high;
{% if in_order %}
        let index = window_rows[k];
        leads[index] = 256u * params.block + lead;
        selections[index] = vec4<u32>();
        selections[params.stride + index] = vec4<u32>();
{% endif %}
    }
}

fn store_info(lane: u32) {
    let base = INFO * params.block;
    info[base + SLOTS + lane] = slots[lane];
    if (lane < 8u) {
        info[base + lane] = present[lane];
    }
}

// True if rows outside the window may be pivots of open columns.
fn is_incomplete() -> bool {
    var any_open = 0u;
    for (var w = 0u; w < 8u; w++) {
        any_open |= open[w];
    }
    return any_open != 0u && window_count > WINDOW;
}
