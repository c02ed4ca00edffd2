#!/usr/bin/env bash
# Builds bondgraph with its tests, runs them, then checks every model against the results written in it.
# Starts from a bare Debian 12; may be called from anywhere. BONDGRAPH_PRESET selects another preset than release.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${BONDGRAPH_PRESET:-release}
build=$root/build/$preset

"$root/tools/setup.sh"
cd "$root"
printf '\nBuilding bondgraph and its tests in %s\n' "$build"
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$(nproc)"

printf '\nRunning the tests\n'
ctest --preset "$preset" --output-log "$build/ctest.log"

printf '\nChecking the models against the results they expect\n'
"$build/bin/bondgraph" test models
