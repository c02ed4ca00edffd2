#!/usr/bin/env bash
# Installs what building and running bondgraph needs on Debian 12. Further package names may be given as arguments.
# Quick, offline and without any privilege when everything is there already.
set -euo pipefail

packages=(
    g++ cmake ninja-build ccache
    libboost-dev libeigen3-dev libsundials-dev libsuitesparse-dev libyaml-cpp-dev libudunits2-dev libfmt-dev
    libcli11-dev nlohmann-json3-dev libmatio-dev libhdf5-dev libcereal-dev libzstd-dev zlib1g-dev libgraphviz-dev libgtest-dev libgmock-dev libbenchmark-dev
    gnuplot-nox graphviz bash-completion groff-base
    python3-scipy python3-h5py python3-jsonschema python3-yaml
    "$@"
)

# From wherever they come: of the page that `bondgraph report` writes.
command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm)

fail() {
    printf 'setup: %s\n' "$1" >&2
    exit 1
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this is not a Debian system; install the equivalents of: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
    [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "setup: all required packages are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        fail "neither root nor sudo is available; as root, run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo --non-interactive)
fi
apt_get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -qq "$@" </dev/null
}

echo "setup: installing ${missing[*]} and what they depend on (a few minutes on a bare machine)"
# An unreachable third-party source makes the update fail although the packages wanted here may all be found.
apt_get update || echo "setup: the package lists could not all be updated; trying to install all the same" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! apt_get install --yes --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    fail "apt-get could not install the packages above"
fi
echo "setup: done"
