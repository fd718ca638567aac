// Metal's vectors. `metal_stdlib` beside this folder defines those that naga uses.
#pragma once
