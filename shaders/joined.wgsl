// The low word of `high` and `low` side by side, shifted right by 1 to 31 bits.
fn joined(high: u32, low: u32, shift: u32) -> u32 {
{% if int64 %}
    return u32(((u64(high) << 32u) | u64(low)) >> shift);
{% else %}
    return (low >> shift) | (high << (32u - shift));
{% endif %}
}
