{# `shown`: the most elements that a thread shows at a time. #}
// What the threads of a workgroup show each other. A second board, used in turns with this one, would spare a barrier, but leave
// room for fewer workgroups: through Vulkan an H200 gives 48 KiB to all workgroups of a multiprocessor.
{% if kept != "all" %}
var<workgroup> board: array<Big, {{ shown }}u * WORKGROUP>;
{% endif %}
// Bits that the threads show each other, beside the board.
var<workgroup> bits: array<u32, WORKGROUP>;
// Whether any thread has found something, and a copy of it for all.
var<workgroup> found: atomic<u32>;
var<workgroup> found_by_all: u32;

{% if kept != "all" or board is defined %}
{% set place = "r[" ~ board ~ "u][lane]" if kept == "all" else "board[lane]" %}
// Shows a value to the workgroup.
fn show(lane: u32, value: Big) {
    // What was shown before is read.
    workgroupBarrier();
    {{ place }} = value;
    workgroupBarrier();
}

// The value that a thread showed last.
fn seen(lane: u32) -> Big {
    return {{ place }};
}

{% endif %}
// True for all threads if `own` is true for any. All must call it.
fn any_of_workgroup(lane: u32, own: bool) -> bool {
    if (lane == 0u) {
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    if (own) {
        atomicStore(&found, 1u);
    }
    workgroupBarrier();
    if (lane == 0u) {
        found_by_all = atomicLoad(&found);
    }
    return workgroupUniformLoad(&found_by_all) == 1u;
}
