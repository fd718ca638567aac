// Metal's vectors; `metal_stdlib` beside this folder has those that naga writes.
#pragma once
