#!/usr/bin/env bash
# Changes the program in one place after the other and looks whether a test notices: tools/mutate.sh [NAME…], by default
# all of tools/mutations/*.txt that have no result yet. Works on a copy below build/mutate, so that nothing happens to
# the checkout; BONDGRAPH_MUTATE_BUILD=DIR changes the checkout itself, restores each file, and builds in DIR.
# Results are kept in tools/mutations/results.tsv and shown in docs/testing.md. Exit status 0 only if all are caught.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lists=$root/tools/mutations
results=$lists/results.tsv
jobs=${BONDGRAPH_JOBS:-$(nproc)}
longest=${BONDGRAPH_MUTATE_SECONDS:-1800} # of one test program
touch "$results"

# name, file, what, tests, old and new of every mutation, one a line, separated by the character 1.
all_mutations() {
    cat "$lists"/*.txt | perl -00 -ne '
        next if /\A#/;
        my %m = map { /^(\w+) (.*)$/ ? ($1 => $2) : () } split /\n/;
        print join("\x01", @m{qw(name file what tests old new)}), "\n";'
}

prepare() {
    if [ -n "${BONDGRAPH_MUTATE_BUILD:-}" ]; then
        source=$root
        build=$BONDGRAPH_MUTATE_BUILD
        return
    fi
    source=$root/build/mutate/source
    build=$root/build/mutate/build
    mkdir -p "$source"
    # Only what has changed is copied, so that only that is built again.
    git -C "$root" -c safe.directory='*' ls-files -co --exclude-standard | sort >"$source.files"
    (cd "$root" && tr '\n' '\0' <"$source.files" | xargs -0 cp --parents --update --preserve=timestamps -t "$source")
    (cd "$source" && find . -type f | sed 's|^\./||' | sort | comm -13 "$source.files" - | tr '\n' '\0' | xargs -0r rm)
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" -DBONDGRAPH_UNITY=OFF \
        -DBONDGRAPH_BENCH=OFF --log-level=WARNING
}

# Replaces the only occurrence of a text in a file; fails where there is none, or more than one.
replace() {
    OLD=$2 NEW=$3 perl -0777 -i -pe '
        BEGIN { $count = 0 } my $at = index($_, $ENV{OLD});
        if ($at >= 0 && index($_, $ENV{OLD}, $at + 1) < 0) { substr($_, $at, length $ENV{OLD}) = $ENV{NEW}; $count = 1 }
        END { exit 1 unless $count }' "$1"
}

# The first test that fails, or nothing.
noticed_by() {
    local program filter log
    log=$(mktemp)
    for entry in $1; do
        program=${entry%%:*}
        filter='*'
        [ "$entry" = "$program" ] || filter=${entry#*:}
        if ! timeout "$longest" "$build/tests/$program" --gtest_fail_fast --gtest_brief=1 "--gtest_filter=$filter" \
            >"$log" 2>&1; then
            sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$log" | head -1 | grep . || echo "$program (ended by force)"
            break
        fi
    done
    rm -f "$log"
}

verdict_of() {
    local file=$1 tests=$2 old=$3 new=$4 targets test
    cp -p "$source/$file" "$kept"
    changed=$source/$file
    if ! replace "$changed" "$old" "$new"; then
        verdict=stale test=
    else
        targets=
        for entry in $tests; do targets+=" ${entry%%:*}"; done
        # shellcheck disable=SC2086
        if ! ninja -C "$build" -j "$jobs" $targets >"$kept.log" 2>&1; then
            verdict=uncompiled test=
            tail -5 "$kept.log" >&2
        else
            test=$(noticed_by "$tests")
            verdict=$([ -n "$test" ] && echo caught || echo survived)
        fi
    fi
    restore
    printf '%s\t%s' "$verdict" "$test"
}

restore() {
    [ -z "${changed:-}" ] && return
    cp "$kept" "$changed" # with a new time, so that it is built again
    changed=
}

# The table in docs/testing.md, between its two marks.
# shellcheck disable=SC2317
show() {
    local table
    table=$(mktemp)
    {
        printf '| mutation | file | what it breaks | noticed by |\n|---|---|---|---|\n'
        all_mutations | while IFS=$'\x01' read -r name file what _; do
            printf '| %s | %s | %s | %s |\n' "$name" "${file#bondgraph/}" "$what" "$(awk -F'\t' -v name="$name" '
                $1 == name { text = $2 == "caught" ? "`" $3 "`" : "**" $2 "**" } END { print text ? text : "not run" }' \
                "$results")"
        done
    } >"$table"
    TABLE=$table perl -0777 -i -pe '
        open my $f, "<", $ENV{TABLE}; local $/; my $t = <$f>;
        s/(<!-- mutations -->\n).*?(<!-- end of mutations -->)/$1$t$2/s' "$root/docs/testing.md"
    rm -f "$table"
}

kept=$(mktemp)
trap 'restore; show; rm -f "$kept" "$kept".*' EXIT
prepare
status=0
while IFS=$'\x01' read -r name file what tests old new <&3; do
    if [ $# -gt 0 ]; then
        [[ " $* " == *" $name "* ]] || continue
    elif grep -q "^$name	" "$results"; then
        continue
    fi
    verdict_of "$file" "$tests" "$old" "$new" >"$kept.verdict"
    IFS=$'\t' read -r verdict test <"$kept.verdict" || true
    rm -f "$kept.verdict"
    printf '%-20s %-10s %s\n' "$name" "$verdict" "$test"
    [ "$verdict" = caught ] || status=1
    { grep -v "^$name	" "$results" || true; } >"$results.new"
    printf '%s\t%s\t%s\n' "$name" "$verdict" "$test" >>"$results.new"
    sort -o "$results" "$results.new"
    rm -f "$results.new"
done 3< <(all_mutations)
exit $status
