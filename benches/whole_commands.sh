#!/usr/bin/env bash
# Times whole commands as users run them, and prints where the time goes as a markdown table:
# each command twice, with no compiled pipelines on disk (cold) and with those of the first run (warm).
#
#   benches/whole_commands.sh WGALOIS [DEVICE [TERMS TRANSFORM RANK COLUMNS POINTS]]
#
# WGALOIS is the program, DEVICE what `--device` takes. The sizes are the published ones unless given:
# terms of a product's factors, a transform's length, rows of a random matrix, columns of a Groebner
# system, points. Inputs are generated in a folder that is removed at the end; each is read once
# before it is timed. Warm results have to be those of the cold run.
#
# In milliseconds. `device` is the GPU's own time for its kernels, one by one; `waiting` is the
# host's, and holds most of it. `preparing` counts what several threads compile at the same time
# once; `msm` compiles while it reads its points, so that both columns hold that time. `wall` is
# the process from its start to its end: what it holds beside the other columns is opening the
# device and starting and ending the process.
set -euo pipefail

[ $# = 1 ] || [ $# = 2 ] || [ $# = 7 ] || { sed -n '2,/^set/ s/^# \{0,1\}//p' "$0" >&2; exit 2; }
wgalois=$(realpath "$1")
device=${2:-gpu}
terms=${3:-131072} transform=${4:-16777216} rank=${5:-32768} columns=${6:-23075} points=${7:-1048576}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

gen() { "$wgalois" -q gen "$@"; }
gen poly --terms "$terms" --prime 469762049 --seed 1 -o a.raw
gen poly --terms "$terms" --prime 469762049 --seed 2 -o b.raw
gen poly --terms "$transform" --prime babybear -o vector.raw
gen gf2 --rows "$rank" -o matrix.gf2
# The shares of the eighth of the course's systems.
gen eliminate --columns "$columns" --eliminators $((columns * 18748 / 23075)) --rows $((columns * 14325 / 23075)) -o system
gen msm --count "$points" -o sum

phases=(reading preparing upload device waiting download host checking writing total)
printf '| command | cache |'; printf ' %s |' "${phases[@]}" wall; echo
printf '|---|---|'; printf -- '---:|%.0s' "${phases[@]}" wall; echo

# The phases of a report on standard input, in milliseconds, as cells.
cells() {
    awk -v names="${phases[*]}" '
        /"seconds": *\{/ { inside = 1; next }
        inside && /\}/ { inside = 0 }
        inside { gsub(/[",:]/, " "); spent[$1] = 1000 * $2 }
        END {
            count = split(names, name, " ")
            for (i = 1; i <= count; i++) {
                if (!(name[i] in spent)) { print "no " name[i] " in the report" > "/dev/stderr"; exit 1 }
                printf " %.1f |", spent[name[i]]
            }
        }'
}

# row NAME RESULT ARGUMENT...: both runs of a command that writes the file RESULT.
row() {
    local name=$1 result=$2 caches begin end
    shift 2
    caches=$(mktemp -d -p "$folder")
    # Ours, Mesa's and NVIDIA's caches of compiled shaders.
    local settings=("XDG_CACHE_HOME=$caches" "MESA_SHADER_CACHE_DIR=$caches" "__GL_SHADER_DISK_CACHE_PATH=$caches")
    for cache in cold warm; do
        begin=$(date +%s%N)
        env "${settings[@]}" "$wgalois" -q "$@" --device "$device" --json -o "$result.$cache" >report.json
        end=$(date +%s%N)
        printf '| %s | %s |' "$name" "$cache"
        cells <report.json
        awk -v ns=$((end - begin)) 'BEGIN { printf " %.1f |\n", ns / 1e6 }'
    done
    cmp "$result.cold" "$result.warm"
    rm -rf "$caches" "$result".*
}

cat a.raw b.raw vector.raw matrix.gf2 system/* sum/*.bin >/dev/null
row "polymul, $terms terms" c.raw polymul a.raw b.raw --prime 469762049
row "ntt, $transform words" values.raw ntt vector.raw --prime babybear --output-order bitrev
row "gf2 rank, $rank rows" rank.txt gf2 rank matrix.gf2
row "eliminate, $columns columns" rows.txt eliminate --eliminators system/eliminators.txt --rows system/rows.txt
row "msm, $points points" sum.txt msm --points sum/points.bin --scalars sum/scalars.bin
row "msm, unchecked" sum.txt msm --points sum/points.bin --scalars sum/scalars.bin --unchecked
