{# The rows of a tile of a matrix, to registers x0, x1, ... of a thread and back. For the tile see matrix.wgsl.

   Column t of a block's tiles is word j of row m, m below 2^log_stride. A row of the tile is row m + row 2^log_stride of
   the block `block`, or of the whole matrix if that is empty. `row` is the row in register 0, and `rows` are those of all
   registers relative to it. The bits of these are not those of `row`, so that the reversal of a sum is the sum of the
   reversals. #}

{# The row of the matrix in register 0. #}
{% macro first_row(block, row) %}{{ "(" ~ block ~ " << (params.log_stride + LOG_ROWS)) + " if block }}({{ row }} << params.log_stride) + m{% endmacro %}

{# The index of word j of a row; `shift` is not empty if the rows are in bit-reversed order. #}
{% macro index(row, shift) %}{{ "(reverseBits(" ~ row ~ ") >> " ~ shift ~ ")" if shift else row }} * params.width + j{% endmacro %}

{# The words from there to the row of the tile that is `behind` the one in register 0. #}
{% macro words_to(behind, shift) %}{% if shift %}(reverseBits({{ behind }}u << params.log_stride) >> {{ shift }}) * params.width{% else %}{{ behind }}u * step{% endif %}{% endmacro %}

{% macro place_column() %}
    let m = t / params.width;
    let j = t - m * params.width;
    // Words between the rows of the tile.
    let step = params.width << params.log_stride;
{% endmacro %}

{% macro load_rows(source, block, row, rows, is_reversed) %}
{% set shift = "params.shift_in" if is_reversed else "" %}
    let first_in = {{ first_row(block, row) }};
    let start = {{ index("first_in", shift) }};
{% for behind in rows %}
    var x{{ loop.index0 }} = {{ source }}[start + {{ words_to(behind, shift) }}];
{% endfor %}
{% endmacro %}

{# `is_weighted` asks for the frequencies of the rows. #}
{% macro store_rows(block, row, rows, is_reversed, is_weighted) %}
{% set shift = "params.shift_out" if is_reversed else "" %}
    let first_out = {{ first_row(block, row) }};
    let end = {{ index("first_out", shift) }};
{% for behind in rows %}
{% set k = loop.index0 %}
{% if is_weighted %}
    let frequency{{ k }} = reverseBits(first_out + ({{ behind }}u << params.log_stride)) >> params.shift_out;
{% else %}
    let frequency{{ k }} = 0u;
{% endif %}
    store(end + {{ words_to(behind, shift) }}, frequency{{ k }}, x{{ k }});
{% endfor %}
{% endmacro %}
