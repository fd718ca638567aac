// w^e from the low and high digits of e, in the form that mul_var takes.
fn power(e: u32) -> u32 {
    let low = e & ((1u << params.log_low_powers) - 1u);
    let high = e >> params.log_low_powers;
    return mul_var(powers[low], powers[(1u << params.log_low_powers) + high]);
}
