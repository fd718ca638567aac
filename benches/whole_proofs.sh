#!/usr/bin/env bash
# Times whole proofs of Groth16 over BN254 as users make them, and prints a markdown table: the first run with empty cache folders, later
# runs, those that check the key's points anew and those that trust them; beside them rapidsnark, if a build of it is given.
#
#   benches/whole_proofs.sh [--rapidsnark PROGRAM] [--runs N] WGALOIS DEVICE LOG2...
#
# WGALOIS is the program, DEVICE what `--device` takes, LOG2 the sizes: a circuit that fills a domain of 2^LOG2 roots.
# `taskset -c 0,1 benches/whole_proofs.sh ...` measures on two cores. Keys and witnesses are generated in a folder that is removed
# at the end, and are read once before they are timed. Every proof is verified.
#
# `wall` is the process from its start to its end and `cpu` the time of all its threads, user and system, in seconds; `memory` the most that
# was resident, in MB. Of N runs, 3 unless given, each column has the median; there is one first run.
set -euo pipefail

usage() { sed -n '2,/^set/ s/^# \{0,1\}//p' "$0" >&2; exit 2; }
rapidsnark='' runs=3
while [ $# -gt 0 ]; do
    case $1 in
        --rapidsnark) rapidsnark=$(realpath "$2"); shift 2 ;;
        --runs) runs=$2; shift 2 ;;
        *) break ;;
    esac
done
[ $# -ge 3 ] || usage
wgalois=$(realpath "$1") device=$2
shift 2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# measured N COMMAND...: runs it N times; prints the medians as cells.
measured() {
    python3 - "$@" <<'PYTHON'
import os, statistics, subprocess, sys, time

count, command = int(sys.argv[1]), sys.argv[2:]
rows = []
for _ in range(count):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}")
    # Linux counts in KiB.
    memory = usage.ru_maxrss * 1024 / 1e6
    rows.append((time.monotonic() - begin, usage.ru_utime + usage.ru_stime, memory))
wall, cpu, memory = map(statistics.median, zip(*rows))
print(f" {wall:.2f} | {cpu:.2f} | {memory:.0f} |")
PYTHON
}

# row NAME RUNS COMMAND...: a row; the command leaves p.json and q.json, which are verified.
row() {
    rm -f p.json q.json
    printf '| 2^%s | %s |' "$log2" "$1"
    measured "${@:2}"
    "$wgalois" -q groth16 verify "$key/verification_key.json" q.json p.json >/dev/null
}

echo '| size | command | wall | cpu | memory |'
echo '|---|---|---:|---:|---:|'
for log2; do
    key="$folder/k$log2" caches="$folder/c$log2"
    "$wgalois" -q gen groth16 --curve bn254 --domain $((1 << log2)) -o "$key"
    mkdir "$caches"
    # Ours, Mesa's and NVIDIA's caches.
    export XDG_CACHE_HOME=$caches MESA_SHADER_CACHE_DIR=$caches __GL_SHADER_DISK_CACHE_PATH=$caches
    cat "$key/circuit.zkey" "$key/witness.wtns" >/dev/null
    prove=("$wgalois" -q groth16 prove "$key/circuit.zkey" "$key/witness.wtns" --device "$device" --proof p.json --public q.json)
    row 'first run' 1 "${prove[@]}"
    row 'later' "$runs" "${prove[@]}"
    row 'later, `--recheck`' "$runs" "${prove[@]}" --recheck
    row 'later, `--unchecked`' "$runs" "${prove[@]}" --unchecked
    [ -z "$rapidsnark" ] || row 'rapidsnark' "$runs" "$rapidsnark" "$key/circuit.zkey" "$key/witness.wtns" p.json q.json
    rm -rf "$key" "$caches"
done
