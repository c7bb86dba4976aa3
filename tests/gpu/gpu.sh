#!/usr/bin/env bash
# GPU tests, benchmark and compute-sanitizer, on a machine that has a GPU but perhaps no compiler.
#
#   tests/gpu/gpu.sh pack [BENCH_DIR [variants]]
#                                       here: build what travels (LLVM linked in) into .travel/; BENCH_DIR holds peers.py, compare.py;
#                                       `variants` adds other schedules of the workloads, for the step of that name
#   tests/gpu/gpu.sh run [STEP ...]     there: run the steps (default: test quickstart sanitize bench; also variants) from .travel/
#
# `run` writes its files to $OUT (default out/gpu): test.xml, quickstart.txt, sanitize.txt, peers.json, ratios.json; the table of ratios
# comes last. BENCH_ONLY (a regular expression) picks the workloads, BENCH_ARGS adds arguments to peers.py (--hot).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
travel="$root/.travel"

pack() {
  local bench=${1:-} variants=OFF
  [ "${2:-}" != variants ] || variants=ON
  # The flags of the dev preset, so that the compiler cache serves both.
  (cd "$root" && cmake --preset dev -B build/travel -DSINTER_STATIC_LLVM=ON -DSINTER_BENCH_VARIANTS=$variants >/dev/null)
  cmake --build "$root/build/travel" --target sinter_test_gpu sinter_quickstart sinter_bench
  mkdir -p "$travel"
  cp "$root/build/travel/tests/sinter_test_gpu" "$root/build/travel/apps/quickstart/sinter_quickstart" \
     "$root/build/travel/apps/bench/libsinter_bench.so" "$root"/build/travel/apps/bench/exported/*.ptx "$travel/"
  strip "$travel/sinter_test_gpu" "$travel/sinter_quickstart"
  # Z3 is the one library that stays shared.
  cp -L "$(ldconfig -p | sed -n 's/.*libz3\.so\.4 .*=> //p' | head -n 1)" "$travel/"
  ldd "$travel/sinter_test_gpu" | sed -n 's/.*libfmt[^ ]* => \([^ ]*\).*/\1/p' | xargs -r -I{} cp -L {} "$travel/"
  ldd "$travel/sinter_quickstart" | sed -n 's/.*lib\(fmt\|png\)[^ ]* => \([^ ]*\).*/\2/p' | xargs -r -I{} cp -L {} "$travel/"
  if [ -n "$bench" ]; then cp "$bench/peers.py" "$bench/compare.py" "$root/apps/bench/variants.py" "$travel/"; fi
  # LLVM makes the programs large, and they compress well.
  tar -C "$travel" -czf "$travel/programs.tar.gz" sinter_test_gpu sinter_quickstart $(cd "$travel" && ls *.so.*)
  rm "$travel"/sinter_test_gpu "$travel"/sinter_quickstart "$travel"/*.so.*
  du -sh "$travel"
}

run() {
  [ -x "$travel/sinter_test_gpu" ] || tar -C "$travel" -xzf "$travel/programs.tar.gz"
  export LD_LIBRARY_PATH="$travel:${LD_LIBRARY_PATH:-}"
  local out=${OUT:-$root/out/gpu}
  mkdir -p "$out"
  cd "$root"
  local steps=("$@") status=0
  [ ${#steps[@]} -gt 0 ] || steps=(test quickstart sanitize bench)
  for step in "${steps[@]}"; do
    echo "== $step"
    case $step in
      test)
        timeout "${TEST_SECONDS:-240}" "$travel/sinter_test_gpu" --gtest_output="xml:$out/test.xml" --gtest_brief=1 || status=1 ;;
      quickstart)
        (cd "$out" && timeout 120 "$travel/sinter_quickstart" --image "$root/apps/quickstart/data/photo.png" | tee quickstart.txt) || status=1 ;;
      sanitize)
        # Some tests provoke errors of the driver's interface on purpose; what counts here are accesses.
        for tool in "memcheck --report-api-errors no" racecheck; do
          echo "-- $tool"
          timeout "${SANITIZE_SECONDS:-240}" compute-sanitizer --tool $tool --error-exitcode 7 "$travel/sinter_test_gpu" --gtest_brief=1 \
            ${SANITIZE_FILTER:+--gtest_filter="$SANITIZE_FILTER"} >"$out/${tool%% *}.txt" 2>&1 || { status=1; tail -n 30 "$out/${tool%% *}.txt"; }
          tail -n 3 "$out/${tool%% *}.txt"
        done ;;
      bench)
        python3 "$travel/peers.py" --ours "$travel/libsinter_bench.so" --only "${BENCH_ONLY:-^copy|^bias_gelu|^blur|^harris|^softmax/(32768|16384|4096)x|^layernorm|^column_sum}" \
          --json "$out/peers.json" ${BENCH_ARGS:-} || status=1
        python3 "$travel/compare.py" "$out/peers.json" --json "$out/ratios.json" || status=1 ;;
      variants)
        python3 "$travel/variants.py" "$travel" "$travel/libsinter_bench.so" --only "${BENCH_ONLY:-.}" | tee "$out/variants.txt" || status=1 ;;
      *)
        echo "gpu.sh: no step called $step" >&2; exit 2 ;;
    esac
  done
  return $status
}

case ${1:-} in
  pack) shift; pack "$@" ;;
  run) shift; run "$@" ;;
  *) sed -n '2,12p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
