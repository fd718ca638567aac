// Pairs the entries of each bucket: entries 2 i and 2 i + 1 of a bucket become its entry i in the new list,
// whose buckets begin at `new_offsets`. The last entry of an odd number is paired with nothing.
//
//     old list   | a0 a1 a2 | b0 b1 | c0 |
//     new list   | a0+a1 a2 | b0+b1 | c0 |  nothing ... up to `new_bound`
//
// The key of a new entry is the bucket, numbered through all sets. Its value is its own place, where the
// pair's sum will be, with the sign of the first point: instead of -P + Q the sum will be P - Q, so that the first
// point of a pair has no sign, and the second one its sign relative to that of the first.

const NOTHING: u32 = 0xffffffffu;
const SIGN: u32 = 0x80000000u;

// A point with the signs of both.
fn signed(point: u32, sign: u32) -> u32 {
    return select(point ^ (sign & SIGN), NOTHING, point == NOTHING);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let entry = workgroup_index(id, count) * WORKGROUP + lane;
    if (entry < offsets[params.all_buckets]) {
        let bucket = keys[entry] + entry / params.segment * params.buckets;
        let number = entry - offsets[bucket];
        if (number % 2u == 0u) {
            let place = new_offsets[bucket] + number / 2u;
            let has_second = entry + 1u < offsets[bucket + 1u];
            new_keys[place] = bucket;
            let first = values[entry];
            let second = select(NOTHING, values[min(entry + 1u, params.last)], has_second);
            new_values[place] = signed(place, first);
            pairs[place] = vec2(signed(first, first), signed(second, first));
        }
    }
    if (entry >= new_offsets[params.all_buckets] && entry < params.new_bound) {
        new_keys[entry] = params.all_buckets - 1u;
        new_values[entry] = NOTHING;
        pairs[entry] = vec2(NOTHING);
    }
}
