#!/bin/sh
# The chains in bondgraph and in Simbody, in turns, so that whatever else the machine does falls on both; of each
# measurement the best turn counts. "at_equal_error" takes the fastest of bondgraph's runs, at 1e-6 and finer tolerances,
# whose error is at most Simbody's: the largest of the chain's end in its first second. Needs both programs (targets
# bondgraph_bench and bench_simbody) and jq.
#
#   bench/compare_simbody.sh DIRECTORY_OF_PROGRAMS [TURNS [FILTER]]
set -eu
bin=${1:?usage: compare_simbody.sh DIRECTORY_OF_PROGRAMS [TURNS [FILTER]]}
turns=${2:-3}
filter=${3:-chain_(evaluation|simulation)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

turn=1
while [ "$turn" -le "$turns" ]; do
    for program in bondgraph_bench bench_simbody; do
        "$bin/$program" --benchmark_filter="$filter" --benchmark_out="$work/$program.$turn.json" \
            --benchmark_out_format=json > /dev/null 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
    done
    turn=$((turn + 1))
done

# Per benchmark the best turn, in processor time (runs measure it themselves and report it as real time).
best='[.[].benchmarks[] | .time = (if .error_occurred then 1e300 elif (.name | test("manual_time")) then .real_time
      else .cpu_time end)] | group_by(.name) | map(min_by(.time))'
jq -s "$best" "$work"/bondgraph_bench.*.json > "$work/ours.json"
jq -s "$best" "$work"/bench_simbody.*.json > "$work/theirs.json"
# Simbody's two integrators stand against the same run of bondgraph.
jq -rn --slurpfile ours "$work/ours.json" --slurpfile theirs "$work/theirs.json" '
  def round_to(n): . as $x | if $x == null then "-" elif $x == 0 then 0 else
      ($x | fabs | log10 | floor) as $e | (($x / pow(10; $e - n + 1)) | round) * pow(10; $e - n + 1) end;
  def at_equal_error($s; $o): if $s.error == null then null else
      [($o, ($ours[0][] | select(.name | startswith(($s.name | sub("_adams|/iterations.*"; "")
          | sub("simulation"; "simulation_finer")) + "/finer:")))) | select(.error <= $s.error) | .time / $s.time] | min end;
  def far(a; b): if a == null or b == null then null else (a - b | fabs) end;
  ["benchmark", "bondgraph", "simbody", "unit", "ratio", "at_equal_error", "steps", "steps_simbody", "error", "error_simbody",
   "drift_J", "drift_J_simbody", "apart"],
  ($theirs[0][] | . as $s | ($s.name | sub("_adams"; "")) as $name | $ours[0][] | select(.name == $name) | . as $o |
   if $o.error_occurred or $s.error_occurred then [$s.name, ($o.error_message // $s.error_message)] else
   [$s.name, ($o.time | round_to(3)), ($s.time | round_to(3)), $o.time_unit,
    ($o.time / $s.time | round_to(3)), (at_equal_error($s; $o) | round_to(3)), $o.steps // "-", $s.steps // "-",
    ($o.error | round_to(2)), ($s.error | round_to(2)),
    ($o.energy_drift | round_to(2)), ($s.energy_drift | round_to(2)),
    ([far($o.first_acceleration; $s.first_acceleration), far($o.last_acceleration; $s.last_acceleration),
      far($o.tip_x; $s.tip_x), far($o.tip_y; $s.tip_y), far($o.tip_z; $s.tip_z)] | map(select(. != null)) |
      max | round_to(2))] end)
  | @tsv' | column -t
