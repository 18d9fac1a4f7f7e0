#!/usr/bin/env bash
# The engine's random tests, many more of them than in `make test` and with other seeds each day.
# HISTORIES, KILLS, CORRUPTIONS, CUTS (power cuts before each call of a store to its disk), DISASTERS (rows of
# failing disks and power cuts) and CASES (of fuzzing) say how many; SEED repeats a day's. A failure names the one
# seed that repeats it alone (see the headers in pipeline/tests/engine and pipeline/tests/disk).
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
unset PROFILE JOBS PAPER
seed=${SEED:-$(date +%Y%m%d)}
export HISTORIES=${HISTORIES:-2000} KILLS=${KILLS:-1000} CORRUPTIONS=${CORRUPTIONS:-1000}
export CUTS=${CUTS:-20} DISASTERS=${DISASTERS:-20000}
export HISTORY_SEED=${seed}0000 KILL_SEED=${seed}0000 CORRUPTION_SEED=${seed}0000 DISK_SEED=${seed}0000

export PROPTEST_CASES=${CASES:-10000} PROPTEST_RNG_SEED=$seed

say "$HISTORIES histories, $KILLS kills, $CORRUPTIONS corruptions, $DISASTERS disasters, $PROPTEST_CASES cases; SEED=$seed"
# The tests run the toy program, which is built by itself: `--test` alone would leave an old one.
cargo build --release --locked -p pipeline --example toy
cargo test --release --locked -p pipeline --test engine -- histories kills corruption
cargo test --release --locked -p pipeline --test disk
cargo test --release --locked -p pipeline --test fuzz
cargo test --release --locked -p reference --test fuzz
cargo test --release --locked -p external --test fuzz
# The library as others have it: without LAPACK, which `make test` has everywhere.
cargo test --release --locked -p retune-numerics -p retune-tuners
cargo test --release --locked -p pipeline --lib hostile
