#!/usr/bin/env bash
# From a bare Debian to all tests run: installs what is missing, builds everything, runs ctest.
# Arguments go to ctest:   ./test.sh -L golden       ./test.sh -R attention
# The last lines are ctest's summary; the exit status is not zero if anything failed, or nothing ran.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cmake/install_deps.sh
cmake --preset dev
cmake --build --preset dev

if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
  echo
  echo "No NVIDIA GPU here: tests labelled gpu are SKIPPED where they launch kernels, and are listed"
  echo "as such below. All other tests need none."
  echo
fi

labels=$(ctest --preset dev --print-labels | sed -n 's/^  //p' | tr '\n' ' ')
echo "Labels: $labels"
exec ctest --preset dev --output-on-failure --no-tests=error -j "$(nproc)" "$@"
