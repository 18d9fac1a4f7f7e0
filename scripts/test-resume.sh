#!/usr/bin/env bash
# test-resume.sh RETUNE: a training that is killed goes on from its last epoch, and a population of
# trainings from the turn it was in; both end with the same bytes as one that is not killed. RETUNE
# lies beside retune-torch.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
retune=$1
cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$artifacts/data"
# Of the smoke profile, but long enough to be killed in mid-training. Data are fetched once a checkout.
train() {
    mkdir -p "$scratch/$1"
    [ -e "$scratch/$1/data" ] || ln -s "$artifacts/data" "$scratch/$1/data"
    "$retune" run "$stage" --profile smoke --set stn.text.descent.epochs=60 --set stn.text.seven.budget=400 \
        --set stn.text.seven.population.members=400 --set stn.images.searches.epochs=100 \
        --store "$scratch/$1" --configs configs >"$scratch/$1.log" 2>&1
}
# The digests of what does not hold times.
results() {
    for output in $outputs; do
        sha256sum <"$("$retune" show "$stage" --output "$output" --path --profile smoke --store "$scratch/$1")"
    done
}
# kill_and_resume STAGE OUTPUT...
kill_and_resume() {
    stage=$1 outputs=${*:2}
    rm -rf "${scratch:?}"/{whole,killed}
    say "$stage, not disturbed"
    train whole
    say "the same, killed after its first epochs"
    setsid bash -c "$(declare -f train); retune=$retune stage=$stage scratch=$scratch artifacts=$artifacts train killed" &
    local run=$! kept=$scratch/killed/store/v1/checkpoints
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
}
kill_and_resume stn/text/seven/replicate=0/stn main steps course cost
kill_and_resume stn/images/replicate=0/pbt main members
