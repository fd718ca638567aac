// u, and its topmost bit.
{% if top < 64 %}
const U_LOW: u32 = {{ u[0] }}u;
const U_HIGH: u32 = {{ u[1] }}u;
{% else %}
const U = vec4({% for word in u %}{{ word }}u{{ ", " if not loop.last }}{% endfor %});
{% endif %}
const TOP: u32 = {{ top }}u;

fn bit_of_u(bit: u32) -> bool {
{% if top < 64 %}
    return ((select(U_LOW, U_HIGH, bit >= 32u) >> (bit & 31u)) & 1u) == 1u;
{% else %}
    let low = select(U.x, U.y, bit >= 32u);
    let high = select(U.z, U.w, bit >= 96u);
    return ((select(low, high, bit >= 64u) >> (bit & 31u)) & 1u) == 1u;
{% endif %}
}
