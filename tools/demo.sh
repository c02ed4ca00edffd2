#!/usr/bin/env bash
# Builds bondgraph and shows it at work on a DC motor. Starts from a bare Debian 12; may be called from anywhere.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
out=$root/build/demo
model=models/electromechanical/dc_motor.yaml

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }
show() {
    say "\$ bondgraph $*"
    "$build/bin/bondgraph" "$@"
}

"$root/tools/setup.sh"
cd "$root"
say "Building bondgraph in $build"
cmake --preset release --log-level=WARNING
cmake --build --preset release --target bondgraph --parallel "$(nproc)"

mkdir -p "$out"
show check "$model"
show causality "$model"
show run "$model" -o "$out/dc_motor.csv" --plot "$out/dc_motor.svg"

say "Written:"
for file in "$out/dc_motor.csv" "$out/dc_motor.svg"; do
    [ -s "$file" ] || { echo "demo: $file is missing or empty" >&2; exit 1; }
    echo "  $file"
done
