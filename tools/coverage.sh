#!/usr/bin/env bash
# Line coverage of the tests by folder, measured by gcov: builds in build/coverage, runs all tests, prints a table.
# Needs gcovr (apt-get install gcovr). Takes about twice as long as tools/test.sh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
command -v gcovr >/dev/null || { echo "coverage: gcovr is missing; apt-get install gcovr" >&2; exit 1; }
cmake --preset coverage --log-level=WARNING
cmake --build --preset coverage --parallel "$(nproc)"
find build/coverage -name '*.gcda' -delete
ctest --preset coverage --output-log build/coverage/ctest.log || echo "coverage: some tests failed" >&2

objects=(build/coverage/bondgraph build/coverage/CMakeFiles)
gcovr --root . --filter 'bondgraph/' --filter 'converters/' --filter 'mechanics3d/' --csv --object-directory build/coverage \
    -j "$(nproc)" "${objects[@]}" |
    awk -F, 'NR > 1 {
                 n = split($1, part, "/")
                 folder = part[1] == "bondgraph" ? part[1] "/" part[2] : part[1]
                 lines[folder] += $2; covered[folder] += $3; all += $2; hit += $3
             }
             END {
                 for (folder in lines)
                     printf "%-24s %6d of %6d lines  %5.1f %%\n", folder, covered[folder], lines[folder],
                         100 * covered[folder] / lines[folder] | "sort"
                 close("sort")
                 printf "%-24s %6d of %6d lines  %5.1f %%\n", "all", hit, all, 100 * hit / all
             }'
