#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds (30 if not given), one after the other. What is found stays in
# build/fuzz/findings, and the exit status then is not 0. The inputs follow from a number, the second argument: the same
# one (1 if not given) makes much the same inputs again, so that a finding tells of a change and not of luck.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-30}
seed=${2:-1}
cd "$root"
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --parallel "$(nproc)"

run() { # NAME DICTIONARY LONGEST_INPUT FURTHER_INPUTS…
    local name=$1 dictionary=$2 longest=$3
    shift 3
    local work=build/fuzz/corpus/$name
    mkdir -p "$work" build/fuzz/findings
    "build/fuzz/bin/fuzz_$name" -seed="$seed" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3000 -max_len="$longest" \
        -dict="tests/fuzz/$dictionary" -artifact_prefix="build/fuzz/findings/$name-" -verbosity=0 -print_final_stats=1 \
        "$work" "tests/fuzz/corpus/$name" "$@"
}
run expression expression.dict 300
run load_model model.dict 4096 tests/diagnostics models
