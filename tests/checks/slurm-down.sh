#!/usr/bin/env bash
# Stops the cluster that tests/checks/slurm-up.sh started in DIR.
# usage: slurm-down.sh DIR
set -euo pipefail
dir=$(realpath -m "${1:?the folder of the cluster}")
for started in "$dir"/slurmd-*.started "$dir/slurmctld.started" "$dir/munged.started"; do
    [ -f "$started" ] || continue
    pid=$(cat "$started")
    rm -f "$started"
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null || true
done
