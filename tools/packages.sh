# shellcheck shell=bash
# Lists the Debian packages that the other scripts need. They source this file:
#
#   need_packages GROUP...    installs the missing packages of these groups; prints nothing if none is missing
#
# Expects `set -euo pipefail`.

# shellcheck disable=SC2034  # the lists are read by name
packages_libraries=(
  libboost-dev libcli11-dev libcsv-dev libedit-dev libexpected-dev libisal-dev libjpeg62-turbo-dev libpcre2-dev
  libsimdjson-dev libspng-dev libsqlite3-dev libxxhash-dev libzimg-dev libzstd-dev nlohmann-json3-dev zlib1g-dev
)
# shellcheck disable=SC2034
packages_build=(
  g++ pkg-config meson ninja-build libprotobuf-dev protobuf-compiler doctest-dev libbenchmark-dev
  "${packages_libraries[@]}"
)
# shellcheck disable=SC2034
packages_lesson=(python3 python3-pip)
# shellcheck disable=SC2034
packages_portable=(binutils dpkg-dev g++ make meson nasm ninja-build pkg-config python3)
# shellcheck disable=SC2034
packages_python=(git python3 python3-dev python3-venv)
# shellcheck disable=SC2034
packages_site=(doxygen python3 python3-venv)
# shellcheck disable=SC2034
packages_test=(
  python3 python3-protobuf sqlite3 strace openjdk-17-jre-headless clang-14 clang-format-14 clang-tidy-14
  libclang-rt-14-dev chromium chromium-driver fish mandoc zsh python3-dbg valgrind
)

# Prints those of the packages PACKAGE... that are not installed, one per line.
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

need_packages() {
  local group wanted=() missing=() as_root=()
  for group in "$@"; do
    local -n packages="packages_$group"
    wanted+=("${packages[@]}")
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system. Install what Debian calls: ${wanted[*]}" >&2
    exit 1
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  if [[ $EUID -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      printf 'Packages are missing, and only root can install them. Run this, then try again:\n\n  %s\n' \
        "sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "Installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends install "${missing[@]}" </dev/null >/dev/null
}

# Debian's own Python, which finds Debian's Python packages, whatever Python comes first on PATH.
# shellcheck disable=SC2034  # read by the scripts that source this file
python=/usr/bin/python3
if [[ ! -x $python ]]; then python=python3; fi
