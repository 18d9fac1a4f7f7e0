#!/bin/sh
# SMOOTHIE: one run against the same in PyTorch, and what a suggestion of DEHB and BOHB costs against
# their public implementations.
set -eu
cd "$(dirname "$0")"
absent=0
for part in run overhead; do
    sh smoothie/$part.sh || {
        status=$?
        [ $status -eq 77 ] || exit $status
        absent=77
    }
done
exit $absent
