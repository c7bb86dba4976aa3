#!/usr/bin/env bash
# Installs what Sinter builds with, from Debian's own packages (bookworm or later). Does nothing, and
# needs neither network nor root, where everything is already there.
set -euo pipefail

packages=(
  build-essential cmake ninja-build python3 python3-numpy
  llvm-22-dev libz3-dev libfmt-dev libcli11-dev nlohmann-json3-dev libdlpack-dev libpng-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  ccache lld
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_deps.sh: as root, please: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
"${apt[@]}" update
if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null; then
  echo "install_deps.sh: apt-get could not install: ${missing[*]}" >&2
  echo "llvm-22-dev comes from bookworm-security: is that in /etc/apt/sources.list*?" >&2
  exit 1
fi
