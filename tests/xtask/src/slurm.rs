//! The engine on a real Slurm cluster of two nodes on this machine. Needs root.

use std::path::Path;

use crate::tools::{Checkout, End, ensure, run, say};

/// A cluster that ends with its holder.
struct Cluster<'a> {
    checkout: &'a Checkout,
    folder: &'a Path,
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        // What has not started needs no end.
        drop(run(self.checkout.command("tests/checks/slurm-down.sh").arg(self.folder)));
    }
}

pub fn check(checkout: &Checkout, words: &[String]) -> Result<(), End> {
    let root = checkout.system("id -u").is_some_and(|id| id == "0");
    ensure(root, "a cluster on loopback needs root: sudo make test-slurm")?;
    let there = "command -v slurmctld && command -v munged || apt slurm-wlm munge";
    ensure(checkout.system(there).is_some(), "missing: apt-get install slurm-wlm munge")?;
    checkout.build()?;
    say("starting a cluster of two nodes");
    let folder = tempfile::tempdir()?;
    let _cluster = Cluster { checkout, folder: folder.path() };
    let up = ["2", "2", "1"];
    run(checkout.command("tests/checks/slurm-up.sh").arg(folder.path()).args(up))?;
    let mut test = checkout.cargo(&["test", "--workspace", "--test", "slurm"]);
    test.env("SLURM_CONF", folder.path().join("slurm.conf"));
    test.env("SLURM_TEST_CLUSTER", folder.path());
    // One after another: one of them makes nodes fail.
    run(test.args(["--", "--test-threads=1"]).args(words))
}
