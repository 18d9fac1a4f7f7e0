#!/usr/bin/env bash
# A notebook with a failing cell must fail the command, whichever way the cell fails; one without
# must not. The trap: the kernel reports a panic as text, exits with 0 and runs the later cells.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"
work=$(mktemp -d "$root/.tools/notebook-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
export REPORT_DIR=$work/report
cp "$root/notebooks/evcxr.toml" "$work/"
sed -i "s#^tmpdir = .*#tmpdir = \"$tools/evcxr\"#" "$work/evcxr.toml"

# try NAME WANTED CELL…: executes a notebook of these cells; WANTED is pass or fail.
try() {
    local name=$1 wanted=$2 got=pass
    shift 2
    "$venv/bin/python" - "$work/$name.ipynb" "$@" <<'PY'
import sys
import nbformat.v4 as v4
import nbformat
cells = [v4.new_code_cell(source) for source in sys.argv[2:]]
spec = {"kernelspec": {"display_name": "Rust", "language": "rust", "name": "rust"}}
nbformat.write(v4.new_notebook(cells=cells, metadata=spec), sys.argv[1])
PY
    "$root/scripts/notebook.sh" "$work/$name.ipynb" >"$work/log" 2>&1 || got=fail
    if [ "$got" != "$wanted" ]; then
        cat "$work/log" >&2
        fail "notebook test $name: wanted $wanted, got $got"
    fi
    if [ "$got" = fail ]; then
        if [ ! -e "$work/report/$name.failed.html" ] || [ -e "$work/report/$name.html" ]; then
            fail "notebook test $name: a failed notebook left a report"
        fi
        grep -q '^error:' "$work/log" || fail "notebook test $name: no message"
    fi
    say "notebook test $name: $got as wanted"
}

dep=":dep prelude = { path = \"$root/notebooks/prelude\" }"
hook='let opened = prelude::open();'
try good pass 'let x = 1 + 1;' 'println!("{x}")'
# Its page is made once, until a result is new.
"$root/scripts/notebook.sh" "$work/good.ipynb" | grep -q '^== up to date' || fail "a page that is there is made again"
mkdir -p "$work/results/store/v1"
echo new >"$work/results/store/v1/log"
RETUNE_ARTIFACTS=$work/results "$root/scripts/notebook.sh" "$work/good.ipynb" | grep -q 'good.html (' ||
    fail "a page of other results is taken for these"
try compile-error fail 'let x: u32 = "text";'
try bare-panic fail 'panic!("no hook is set yet")' 'println!("a later cell")'
try question-mark fail '"x".parse::<u32>()?;' 'println!("a later cell")'
try dead-kernel fail 'std::process::exit(0)' 'println!("a later cell")'
export RETUNE_ARTIFACTS=$work/nowhere
try panic-under-the-hook fail "$dep" "$hook" 'opened.map(|_| ()).unwrap();' 'println!("a later cell")'
# Not only reported: the notebook ended there, so no later cell ran on half a state.
grep -q 'stopped: CellExecutionError' "$work/log" || { cat "$work/log" >&2; fail "the panic did not end the notebook"; }
# A page shows a figure as the drawing that its notebook holds as pixels.
cell='prelude::html::Html(prelude::html::image("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>", "toy").unwrap())'
try figure pass "$dep" "$cell"
page=$work/report/figure.html
grep -q 'alt="toy" src="data:image/svg+xml;base64,' "$page" || fail "the page shows no drawing: $page"
! grep -q 'image/png' "$page" || fail "the page holds pixels: $page"
