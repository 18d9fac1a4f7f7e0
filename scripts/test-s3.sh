#!/usr/bin/env bash
# Results shared by a real server that speaks S3: moto's, on this machine, installed into .tools/s3
# (200 MB). Builds the engine with the feature `remote-s3`.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
cd "$root"
python=$tools/s3/bin/python
pinned "$tools/s3" "$root/scripts/s3/requirements.txt"
port=${S3_TEST_PORT:-25555}
"$tools/s3/bin/moto_server" -H 127.0.0.1 -p "$port" >"$tools/s3/log" 2>&1 &
moto=$!
trap 'kill "$moto" 2>/dev/null' EXIT
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ALLOW_HTTP=true AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test S3_TEST_URL=s3://shared
# The server takes a moment to listen.
bucket() {
    "$python" - <<PY 2>/dev/null
import boto3
boto3.client("s3", endpoint_url="$AWS_ENDPOINT_URL").create_bucket(Bucket="shared")
PY
}
for _ in $(seq 100); do
    bucket && break
    sleep 0.2
done
features=(--features pipeline/remote-s3)
cargo build --locked "${features[@]}" --example toy
cargo test --locked --workspace "${features[@]}" --test remote "$@"
cargo test --locked --workspace "${features[@]}" --test engine remote:: "$@"
# Later tests use the toy without it.
cargo build --locked --example toy
