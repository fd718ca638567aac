// The exclusive prefix sum over a workgroup of 256 threads, one number a thread, and the total:
//
//     for reach = 1, 2, 4, ..., 128: each thread adds the sum of the thread `reach` places before it
//
// It uses barriers and no subgroup operations, so it is correct for every subgroup size.

var<workgroup> scan_sums: array<u32, 256>;

struct Prefix {
    before: u32,
    total: u32,
}

fn scan_workgroup(lane: u32, value: u32) -> Prefix {
    scan_sums[lane] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var sum = scan_sums[lane];
        if (lane >= reach) {
            sum += scan_sums[lane - reach];
        }
        workgroupBarrier();
        scan_sums[lane] = sum;
        workgroupBarrier();
    }
    let prefix = Prefix(scan_sums[lane] - value, scan_sums[255]);
    workgroupBarrier();
    return prefix;
}
