#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds (30 if not given), one after the other. What is found stays in
# build/fuzz/findings, and the exit status then is not 0.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-30}
cd "$root"
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --parallel "$(nproc)"

run() { # NAME DICTIONARY LONGEST_INPUT FURTHER_INPUTS…
    local name=$1 dictionary=$2 longest=$3
    shift 3
    local work=build/fuzz/corpus/$name
    mkdir -p "$work" build/fuzz/findings
    "build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -max_len="$longest" \
        -dict="tests/fuzz/$dictionary" -artifact_prefix="build/fuzz/findings/$name-" -verbosity=0 -print_final_stats=1 \
        "$work" "tests/fuzz/corpus/$name" "$@"
}
run expression expression.dict 300
run load_model model.dict 4096 tests/diagnostics models
