#!/usr/bin/env bash
# test-resume.sh RETUNE: a training that is killed goes on from its last epoch and ends with the same
# bytes as one that is not. RETUNE lies beside retune-torch.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
retune=$1
cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=stn/text/seven/replicate=0/stn
# Of the smoke profile, but long enough to be killed in mid-training.
train() {
    "$retune" run "$stage" --profile smoke --set stn.text.descent.epochs=60 --set stn.text.seven.budget=400 \
        --store "$scratch/$1" --configs configs >"$scratch/$1.log" 2>&1
}
# The digests of what does not hold times.
results() {
    for output in main steps course cost; do
        sha256sum <"$("$retune" show "$stage" --output "$output" --path --profile smoke --store "$scratch/$1")"
    done
}
say "a training that is not disturbed"
train whole
say "the same, killed after its first epochs"
setsid bash -c "$(declare -f train); retune=$retune stage=$stage scratch=$scratch train killed" &
run=$!
kept=$scratch/killed/store/v1/checkpoints
for _ in $(seq 600); do
    [ -z "$(find "$kept" -name '*.safetensors' 2>/dev/null)" ] || break
    kill -0 "$run" 2>/dev/null || break
    sleep 0.05
done
kill -9 -- "-$run" 2>/dev/null || fail "the training was over before it could be killed"
wait "$run" 2>/dev/null || true
[ -n "$(find "$kept" -name '*.safetensors')" ] || fail "the killed training left no checkpoint"
say "and run again"
train killed
[ "$(results whole)" = "$(results killed)" ] || fail "the resumed training ended with other results"
[ -z "$(find "$kept" -name '*.safetensors')" ] || fail "a checkpoint outlived its training"
say "the same bytes"
