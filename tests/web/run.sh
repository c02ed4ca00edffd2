#!/usr/bin/env bash
# Tests the page that `bondgraph report` writes and the bench of `bondgraph serve`, in Chromium: run.sh PROGRAM. Skipped (77) where Chromium or npm is missing.
set -euo pipefail

program=$1
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v node >/dev/null && command -v npm >/dev/null || { echo "no npm"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser) || { echo "no Chromium"; exit 77; }
[ -d node_modules/puppeteer-core ] || npm ci --silent --no-audit --no-fund --ignore-scripts
(cd ../../web && { [ -d node_modules/typescript ] || npm ci --silent --no-audit --no-fund --ignore-scripts; } && npx tsc --noEmit)
BONDGRAPH=$program CHROMIUM=$browser exec node --test --test-concurrency=1 page_test.mjs unpacking_test.mjs energy_test.mjs moving_test.mjs views_test.mjs modes_test.mjs battery_test.mjs shapes_test.mjs bench_test.mjs exercises_test.mjs lessons_test.mjs
