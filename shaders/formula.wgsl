// Runs a formula: a table of field operations, two words each, in the binding `formula`.
//
// There is one multiplication in the whole kernel, in a loop whose length no compiler knows:
// a formula with ten of them inlined takes many times longer to compile and runs slower.

var<private> registers: array<Big, {{ registers }}>;

struct Marks {
    same_x: bool,
    same_y: bool,
}

// Steps first to last - 1. The fields of a step: src/field/formula.rs.
fn run(first: u32, last: u32) -> Marks {
    var marks = Marks(false, false);
    for (var i = first; i < last; i++) {
        run_step(formula[i], &marks);
    }
    return marks;
}

fn run_step(step: vec2<u32>, marks: ptr<function, Marks>) {
    var r = registers[(step.x >> 4u) & 15u];
    if ((step.x & (1u << 20u)) != 0u) {
        r = big_mul(r, registers[(step.x >> 8u) & 15u]);
    }
    if ((step.x & (2u << 20u)) != 0u) {
        let factors = vec3<i32>(vec3<u32>(step.y << 28u, step.y << 24u, step.y << 20u)) >> vec3(28u);
        let x = registers[(step.x >> 12u) & 15u];
        let y = registers[(step.x >> 16u) & 15u];
        r = big_combine(r, factors.x, x, factors.y, y, factors.z, step.y >> 16u);
    }
    if ((step.x & (4u << 20u)) != 0u) {
        (*marks).same_y = big_is_zero(r);
    }
    if ((step.x & (8u << 20u)) != 0u) {
        (*marks).same_x = big_is_zero(r);
    }
    // After equal x the operands stay, for the formula that applies.
    if (!(*marks).same_x) {
        registers[step.x & 15u] = r;
    }
}
