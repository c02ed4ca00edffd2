#!/usr/bin/env bash
# Compares random models with the oracles of their families: tests/random/run.sh SEED COUNT [FAMILY…], from the seed on
# (by default one that nobody has seen), COUNT (by default 300) of each family. A seed that fails is run again, its
# files kept, by `tests/random/FAMILY.py --program … --only SEED --keep FOLDER`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${BONDGRAPH_PROGRAM:-$here/../../build/release/bin/bondgraph}
seed=${1:-$(date +%s)}
count=${2:-300}
families=("${@:3}")
if [ ${#families[@]} -eq 0 ]; then
    for file in "$here"/*.py; do
        [ "$(basename "$file")" = family.py ] || families+=("$(basename "$file" .py)")
    done
fi
# The last digits of numpy's functions, and with them some models, would differ from machine to machine.
export NPY_DISABLE_CPU_FEATURES="AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL" PYTHONWARNINGS=ignore
status=0
for family in "${families[@]}"; do
    echo "$family, seeds $seed to $((seed + count - 1))"
    /usr/bin/python3 "$here/$family.py" --program "$program" --seed "$seed" --count "$count" || status=1
done
exit "$status"
