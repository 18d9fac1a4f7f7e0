#!/usr/bin/env bash
# Exports a run of the toy example as a research object and as PROV-JSON, and has both checked by
# others' tools, which it installs into .tools/provenance (90 MB).
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
python=$tools/provenance/bin/python
pinned "$tools/provenance" "$root/scripts/provenance/requirements.txt"
cargo build --locked --example toy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
toy() { (cd "$work" && "$root/target/debug/examples/toy" "$@"); }
cp -r "$root/scripts/toy/." "$work"
toy run --set worker=true
toy export ro-crate crate --author "An author" --licence https://spdx.org/licenses/CC0-1.0
toy export prov prov.json
toy export sheet sheet.md
"$python" "$root/scripts/provenance/validate.py" "$work/crate" "$work/prov.json"
