#!/usr/bin/env bash
# differs.sh PAPER: every comment marked `DIFFERS:` in the code and config of PAPER, and in the shared
# code that it reaches by name, a line each: place, tab, text. Comments over several lines become one.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
[ $# -eq 1 ] || fail "usage: scripts/differs.sh PAPER"
cd "$root"
own() { find "stages/src/papers/$1" configs -name '*.rs' -o -name "$1*.toml" 2>/dev/null; }

# Shared files that the given ones name, and so on. What only lists others is not followed: registries,
# catalogues and the reference checks name everything.
reached() {
    local shared found text stem file cited
    mapfile -t shared < <(find stages/src -name '*.rs' -not -name mod.rs -not -name method.rs \
        -not -path 'stages/src/papers/*' -not -path '*/catalogue/*' -not -path '*/reference/*' \
        -not -path '*/commands/*' 2>/dev/null)
    text=$(cat "$@")
    # As in "[Pedregosa2016]", on the first line of the config that has one.
    cited=$(grep -ohE '[A-Z][A-Za-z]+[0-9]{4}' "configs/$paper.toml" | head -n 1)
    found=1
    while [ "$found" -eq 1 ]; do
        found=0
        for file in "${shared[@]}"; do
            stem=$(basename "$file" .rs)
            case " ${taken:-} " in *" $file "*) continue ;; esac
            # In code as a path, in a config as a data set with dashes; or it cites the paper.
            if grep -qE "(^|[^a-z_])$stem::|::$stem([^a-z_]|$)|\"${stem//_/-}\"" <<<"$text" ||
                grep -qF "$cited" "$file"; then
                taken="${taken:-} $file" found=1
                echo "$file"
                text+=$'\n'$(cat "$file")
            fi
        done
    done
}

paper=$1
mapfile -t files < <(own "$paper")
[ ${#files[@]} -gt 0 ] || fail "no paper is called $paper"
{
    printf '%s\n' "${files[@]}"
    reached "${files[@]}"
} | LC_ALL=C sort | while read -r file; do
    awk -v file="$file" '
        function flush() { if (text != "") print place "\t" text; text = "" }
        FNR == 1 { flush() }
        {
            line = $0
            # Not an attribute of Rust: a space follows.
            comment = match(line, /^[ \t]*(\/\/[\/!]?|#)([ \t]|$)/)
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
