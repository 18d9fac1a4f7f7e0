#!/usr/bin/env bash
# differs.sh PAPER: every comment marked `DIFFERS:` in the code and config of PAPER, and in the code
# that the papers share, a line each: place, tab, text. Comments over several lines become one.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
[ $# -eq 1 ] || fail "usage: scripts/differs.sh PAPER"
cd "$root"
{
    find stages/src -name '*.rs' -not -path 'stages/src/papers/*' 2>/dev/null
    find "stages/src/papers/$1" configs -name '*.rs' -o -name "$1*.toml" 2>/dev/null
} | LC_ALL=C sort | while read -r file; do
    awk -v file="$file" '
        function flush() { if (text != "") print place "\t" text; text = "" }
        FNR == 1 { flush() }
        {
            line = $0
            comment = match(line, /^[ \t]*(\/\/[\/!]?|#)[ \t]?/)
            body = comment ? substr(line, RLENGTH + 1) : ""
            at = index(line, "DIFFERS:")
            if (at && line ~ /(\/\/|#).*DIFFERS:/) {
                flush(); place = file ":" FNR
                text = substr(line, at + 8); sub(/^[ \t]+/, "", text)
            } else if (text != "") {
                if (!comment || body ~ /^[ \t]*$/) flush()
                else { sub(/^[ \t]+/, "", body); text = text " " body }
            }
        }
        END { flush() }' "$file"
done
