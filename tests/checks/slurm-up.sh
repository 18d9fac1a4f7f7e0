#!/usr/bin/env bash
# A small Slurm cluster on this machine alone, for tests: a controller and NODES nodes on loopback,
# each with CPUS processors and GPUS made-up GPUs. Everything lies in DIR; tests/checks/slurm-down.sh DIR
# stops it. Needs root, slurm-wlm and munge.
# usage: slurm-up.sh DIR [NODES [CPUS [GPUS]]]
set -euo pipefail
dir=$(realpath -m "${1:?a folder for the cluster}")
nodes=${2:-2} cpus=${3:-2} gpus=${4:-1}
port=${SLURM_TEST_PORT:-26817}
host=$(hostname -s)
mkdir -p "$dir"/{state,spool,munge,log}
chmod 755 "$dir" "$dir/munge"
"$(dirname "$0")/slurm-down.sh" "$dir"

if [ ! -s "$dir/munge/key" ]; then
    head -c 1024 /dev/urandom >"$dir/munge/key"
    chmod 400 "$dir/munge/key"
fi
cat >"$dir/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Without it a job takes all memory of a node, and jobs run one after another.
DefMemPerCPU=256
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=10
KillWait=1
MinJobAge=600
JobRequeue=1
MaxArraySize=10001
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cpus CoresPerSocket=$cpus ThreadsPerCore=1 RealMemory=2048 Gres=gpu:$gpus State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
: >"$dir/gres.conf"
for node in $(seq "$nodes"); do
    for gpu in $(seq 0 $((gpus - 1))); do
        # Any character device will do.
        [ -e "$dir/nvidia$gpu" ] || mknod "$dir/nvidia$gpu" c 1 3
        echo "NodeName=n$node Name=gpu File=$dir/nvidia$gpu" >>"$dir/gres.conf"
    done
done

start() {
    local name=$1
    shift
    "$@" >"$dir/log/$name.out" 2>&1 </dev/null &
    echo $! >"$dir/$name.started"
}
export SLURM_CONF=$dir/slurm.conf
start munged /usr/sbin/munged --foreground --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/log/munged" --seed-file="$dir/munge/seed"
for _ in $(seq 100); do
    munge -S "$dir/munge/socket" -n >/dev/null 2>&1 && break
    sleep 0.05
done
start slurmctld slurmctld -D -i
for node in $(seq "$nodes"); do
    start "slurmd-n$node" slurmd -D -N "n$node"
done
for _ in $(seq 200); do
    idle=$(sinfo -h -N -o %T 2>/dev/null | grep -cx idle || true)
    [ "$idle" = "$nodes" ] && exit 0
    sleep 0.1
done
echo "the cluster did not start; see $dir/log" >&2
exit 1
