#!/bin/sh
# The engine against ninja, make and doit on the same synthetic graph: 10 layers, stage (l, i) reads
# (l-1, i) and (l-1, i+1 mod width), layer 0 reads files. All run in turn; medians of PAIRS turns
# (default 7). The last lines say what is computed when one of the thousand source files changes.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/shared/size.sh
pairs=$(sized "${PAIRS:-7}" 1)
# Stages a layer of the smaller graph and of the larger one, and their names.
narrow=$(sized 100 4)
wide=$(sized 1000 10)
small=$(sized 1k 40)
large=$(sized 10k 100)

install_missing() {
    missing=
    command -v ninja >/dev/null || missing="$missing ninja-build"
    command -v make >/dev/null || missing="$missing make"
    command -v awk >/dev/null || missing="$missing mawk"
    [ -z "$missing" ] && return
    if [ "$(id -u)" = 0 ]; then
        # shellcheck disable=SC2086
        apt-get install -y --no-install-recommends $missing >/dev/null ||
            absent "the peers could not be installed:$missing"
    else
        absent "the peers are missing; run: sudo apt-get install -y$missing"
    fi
}

install_missing
sh tests/bench/shared/peers.sh doit==0.37.0
doit=$PWD/.venv/bin/doit
# shellcheck disable=SC2046
build $(sized "-p pipeline" "") --example toy
toy=$programs/toy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir configs data
cat > configs/toy.toml <<TOML
seed = 1
below = 100
label = 0
sets = []
methods = []
splits = 0
files = "data"
worker = false
sleep_ms = 0
report = "toy/report"
[dag]
layers = 10
width = $narrow
plus = 1
[profiles.$small]
[profiles.$large.dag]
width = $wide
TOML
i=0
while [ $i -lt $wide ]; do
    echo $i > data/source-$i.txt
    i=$((i + 1))
done

# build.ninja, Makefile and dodo.py of `$1` stages a layer, in folder `$2`.
peers() {
    mkdir "$2"
    awk -v w="$1" 'BEGIN {
        print "rule mix\n  command = cat $in > $out"
        for (l = 0; l < 10; l++) for (i = 0; i < w; i++)
            if (l == 0) printf "build out/0-%d: mix ../data/source-%d.txt\n", i, i
            else printf "build out/%d-%d: mix out/%d-%d out/%d-%d\n", l, i, l-1, i, l-1, (i+1) % w
    }' > "$2/build.ninja"
    awk -v w="$1" 'BEGIN {
        printf "all:"
        for (i = 0; i < w; i++) printf " out/9-%d", i
        print ""
        for (l = 0; l < 10; l++) for (i = 0; i < w; i++) {
            if (l == 0) printf "out/0-%d: ../data/source-%d.txt\n", i, i
            else printf "out/%d-%d: out/%d-%d out/%d-%d\n", l, i, l-1, i, l-1, (i+1) % w
            print "\t@cat $^ > $@"
        }
    }' > "$2/Makefile"
    cat > "$2/dodo.py" <<PYTHON
def task_mix():
    def name(l, i):
        return f"../data/source-{i}.txt" if l < 0 else f"out-doit/{l}-{i}"
    for l in range(10):
        for i in range($1):
            reads = [name(l - 1, i)] + [name(l - 1, (i + 1) % $1)] * (l > 0)
            action = f"cat {' '.join(reads)} > {name(l, i)}"
            yield {"name": f"{l}-{i}", "file_dep": reads, "targets": [name(l, i)], "actions": [action]}
PYTHON
    mkdir "$2/out" "$2/out-doit"
}
peers $narrow $small
peers $wide $large

ours() { "$toy" "$1" --profile "$2" --store "store-$2" > out.txt; }
ninja_null() { ninja -C "$1" -n > out.txt; }
make_null() { make -C "$1" -s -n > out.txt; }
# It has no dry run: this is a run with nothing to do.
doit_null() { (cd "$1" && "$doit" --reporter zero > ../out.txt); }
ours_cold() { rm -rf store-$small; "$toy" run --jobs 2 --profile $small --store store-$small > out.txt; }
ninja_cold() { rm -rf $small/out $small/.ninja*; ninja -C $small -j2 > out.txt; }
make_cold() { rm -rf $small/out; mkdir $small/out; make -C $small -s -j2 > out.txt; }
doit_cold() {
    rm -rf $small/out-doit $small/.doit.db*
    mkdir $small/out-doit
    (cd $small && "$doit" -n 2 -P thread --reporter zero > ../out.txt)
}

# Appends the milliseconds that the command takes to the file named first.
timed() {
    file=$1
    shift
    t0=$(date +%s%N)
    "$@"
    t1=$(date +%s%N)
    echo $(((t1 - t0) / 1000)) | awk '{print $1 / 1000}' >> "$file.ms"
}
median() { sort -n "$1.ms" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
# The median over the turns of the first one's time over the second one's.
ratio() {
    paste "$1.ms" "$2.ms" | awk '{print $1 / $2}' > ratio.ms
    median ratio | awk '{printf "%.2f", $1}'
}

# CPU milliseconds (user + system) of a command and what it starts.
cpu_ms() {
    ("$@"; times) | tail -n 1 | awk '{
        for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); total += part[1] * 60 + part[2] }
        print total * 1000
    }'
}
# CPU milliseconds of one command of many alike: the clock is coarse.
turns=$(sized 20 1)
mean_cpu_ms() {
    many() { for _ in $(seq $turns); do "$@"; done; }
    cpu_ms many "$@" | awk '{print $1 / '$turns'}'
}
# Peak resident MiB of a command of ours, from what the kernel says of it while it runs.
peak_mib() {
    "$toy" "$1" --profile "$2" --store "store-$2" > out.txt &
    pid=$!
    peak=0
    while [ -r /proc/$pid/status ]; do
        now=$(awk '/^VmHWM/ {print $2}' /proc/$pid/status 2>/dev/null || true)
        [ "${now:-0}" -gt "$peak" ] && peak=$now
    done
    wait $pid
    echo $((peak / 1024))
}

echo "engine: cold run of $large stages (once, not compared) ..."
cpu=$(cpu_ms ours run $large)
stages=$(awk '/stages? computed/ {print $1}' out.txt)
peak=$(peak_mib plan $large)
ninja -C $large > out.txt
doit_null $large # the first one runs
for _ in $(seq "$pairs"); do
    timed cold-ours ours_cold
    timed cold-ninja ninja_cold
    timed cold-make make_cold
    timed cold-doit doit_cold
done
for size in $small $large; do
    for _ in $(seq "$pairs"); do
        timed null-$size-ours ours plan $size
        timed null-$size-ninja ninja_null $size
        timed null-$size-make make_null $size
        timed null-$size-doit doit_null $size
    done
done
ours plan $large
grep -q "nothing to do: $((10 * wide + 1)) stages" out.txt || { echo "the null plan found work to do" >&2; exit 1; }

printf '\n%-28s %10s %10s %10s %10s\n' 'median ms' ours ninja make doit
for row in null-$small null-$large cold; do
    printf '%-28s %10s %10s %10s %10s\n' "$row" "$(median $row-ours)" "$(median $row-ninja)" \
        "$(median $row-make)" "$(median $row-doit)"
done
printf '%-28s %10s %10s\n' "CPU ms, null plan of $large" "$(mean_cpu_ms ours plan $large)" \
    "$(mean_cpu_ms ninja_null $large)"
printf '%-28s %10s\n' "peak MiB, null plan of $large" "$peak"
printf '%-28s %10s (%s stages)\n' "CPU ms, cold run of $large" "$cpu" "$stages"

# One source of many changes: layer l has l+1 stages downstream of it, 55 in all.
echo 70000 > data/source-$((wide / 2)).txt
"$toy" plan --profile $large --store store-$large --all > out.txt
planned=$(tail -n 1 out.txt)
"$toy" run --profile $large --store store-$large > out.txt
printf '%-28s %s\n' "1 of $wide leaves changed" "plan: $planned"
printf '%-28s %s\n' '' "run: $(tail -n 1 out.txt)"
printf '%-28s %s\n\n' '' "ninja: $(ninja -C $large -n | grep -c '^\[') stages"
echo "cold-cpu-ms-per-stage $(awk -v c="$cpu" -v n="$stages" 'BEGIN {printf "%.2f", c / n}') goal 3"
echo "ratio null-plan-$large-vs-ninja $(ratio null-$large-ninja null-$large-ours) goal 1.0"
echo "ratio null-plan-$small-vs-ninja $(ratio null-$small-ninja null-$small-ours) goal 1.0"
echo "ratio null-plan-$large-vs-make $(ratio null-$large-make null-$large-ours) goal 1.0"
echo "ratio cold-$small-j2-vs-ninja $(ratio cold-ninja cold-ours) goal 1.0"
