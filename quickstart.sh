#!/usr/bin/env bash
# From a bare Debian to a fused kernel that has run: installs what is missing, builds the quickstart
# application only, and runs it with your arguments.
#
#   ./quickstart.sh                          the bundled photograph and generated tensors
#   ./quickstart.sh --image my.png           your own image
#   ./quickstart.sh --tensor x.npy           your own tensor
#   ./quickstart.sh --help                   everything it takes
set -euo pipefail
# Paths in the arguments are the caller's: build from the checkout, but run where we were called.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log="$root/build/release/quickstart-build.log"

"$root/cmake/install_deps.sh"

echo "Building (the first time takes a few minutes) ..."
mkdir -p "$root/build/release"
if ! (cd "$root" && cmake --preset release -DSINTER_BUILD_TESTS=OFF &&
      cmake --build --preset release --target sinter_quickstart) >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "quickstart.sh: the build failed; the whole log is in $log" >&2
  exit 1
fi

exec "$root/build/release/apps/quickstart/sinter_quickstart" "$@"
