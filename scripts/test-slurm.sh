#!/usr/bin/env bash
# The engine on a real Slurm cluster of two nodes, which it starts and stops on this machine. Needs
# root; installs slurm-wlm and munge where they are missing. Arguments go to the tests.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
# shellcheck source=scripts/apt.sh
source "$root/scripts/apt.sh"
cd "$root"
[ "$(id -u)" -eq 0 ] || fail "a cluster on loopback needs root: sudo make test-slurm"
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    apt slurm-wlm munge
fi
cluster=$(mktemp -d)
trap '"$root/scripts/slurm-down.sh" "$cluster"; rm -rf "$cluster"' EXIT
cargo build --locked --example toy
say "starting a cluster of two nodes"
"$root/scripts/slurm-up.sh" "$cluster" 2 2 1
export SLURM_CONF=$cluster/slurm.conf SLURM_TEST_CLUSTER=$cluster
# One after another: one of them makes nodes fail.
cargo test --locked --workspace --test slurm -- --test-threads=1 "$@"
