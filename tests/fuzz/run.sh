#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds (30 if not given), one after the other, from the inputs under
# tests/fuzz/corpus. What is found stays in build/fuzz/findings, and the exit status then is not 0.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-30}
cd "$root"
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --parallel "$(nproc)"

run() { # NAME DICTIONARY LONGEST_INPUT
    local work=build/fuzz/corpus/$1
    mkdir -p "$work" build/fuzz/findings
    "build/fuzz/bin/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -max_len="$3" \
        -dict="tests/fuzz/$2" -artifact_prefix="build/fuzz/findings/$1-" -verbosity=0 -print_final_stats=1 \
        "$work" "tests/fuzz/corpus/$1"
}
run expression expression.dict 300
run load_model model.dict 4096
