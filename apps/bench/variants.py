#!/usr/bin/env python3
"""Times the schedules of one workload beside each other, and beside peers, in one run.

  variants.py PEERS_DIR LIBRARY [--only REGEX] [--peers eager,inductor]

PEERS_DIR holds peers.py, whose workloads, checks and timing are used. LIBRARY is libsinter_bench.so, built with
-DSINTER_BENCH_VARIANTS=ON: it exports the chosen schedule of a workload as NAME and the others as NAME@schedule.
"""
import argparse
import re
import sys

ap = argparse.ArgumentParser()
ap.add_argument("peers_dir")
ap.add_argument("library")
ap.add_argument("--only", default=".")
ap.add_argument("--peers", default="inductor")
a = ap.parse_args()
sys.path.insert(0, a.peers_dir)
import peers  # noqa: E402  (found only now)

peers.torch.manual_seed(0)
ours = peers.Ours(a.library)
for name, make in peers.WORKLOADS.items():
    mine = sorted(n for n in ours.names if n == name or n.startswith(name + "@"))
    if not mine or not re.search(a.only, name):
        continue
    w, items = make(), []
    for p in filter(None, a.peers.split(",")):
        if p in w.peers:
            items.append((p, w.peers[p]))
        elif p in w.lazy:
            items.append((p, w.lazy[p]()))
    for n in mine:
        try:
            items.append((n, ours.contender(n, w)[0]))
        except Exception as e:
            print(f"{n:60s} failed: {str(e)[:300]}", flush=True)
    got = peers.cool(items)
    for n, ms in sorted(got.items(), key=lambda i: i[1]):
        print(f"{n:60s} {ms:9.4f} ms {w.bytes / ms / 1e6:7.0f} GB/s", flush=True)
