//! A training that is killed goes on from its last epoch, and a population of trainings from the turn it was in; both
//! end with the same bytes as one that is not killed.

use std::{
    env, fs,
    os::unix::{fs::symlink, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use crate::tools::{Checkout, End, ensure, run, say};

/// Of the smoke profile, but long enough to be killed in mid-training.
const LONGER: [&str; 4] = [
    "stn.text.descent.epochs=60",
    "stn.text.seven.budget=400",
    "stn.text.seven.population.members=400",
    "stn.images.searches.epochs=100",
];

/// A stage with those of its outputs that hold no times.
const STAGES: [(&str, &[&str]); 2] = [
    ("stn/text/seven/replicate=0/stn", &["main", "steps", "course", "cost"]),
    ("stn/images/replicate=0/pbt", &["main", "members"]),
];

pub fn check(checkout: &Checkout, _: &[String]) -> Result<(), End> {
    checkout.build()?;
    let artifacts =
        env::var_os("RETUNE_ARTIFACTS").map_or_else(|| "artifacts".into(), PathBuf::from);
    let data = checkout.root.join(artifacts).join("data");
    fs::create_dir_all(&data)?;
    for (stage, outputs) in STAGES {
        let scratch = tempfile::tempdir()?;
        let trial = Trial { checkout, stage, outputs, data: &data };
        say(&format!("{stage}, not disturbed"));
        let whole = scratch.path().join("whole");
        run(&mut trial.train(&whole)?)?;
        say("the same, killed after its first epochs");
        let killed = scratch.path().join("killed");
        trial.kill(&killed)?;
        say("and run again");
        run(&mut trial.train(&killed)?)?;
        let same = trial.results(&whole)? == trial.results(&killed)?;
        ensure(same, "the resumed training ended with other results")?;
        ensure(!kept(&killed), "a checkpoint outlived its training")?;
        say("the same bytes");
    }
    Ok(())
}

struct Trial<'a> {
    checkout: &'a Checkout,
    stage: &'static str,
    outputs: &'static [&'static str],
    /// Data are fetched once a checkout.
    data: &'a Path,
}

impl Trial<'_> {
    fn retune(&self, word: &str, store: &Path) -> Command {
        let mut command = self.checkout.command(self.checkout.built("retune"));
        command.args([word, self.stage, "--profile", "smoke", "--store"]).arg(store);
        command
    }

    fn train(&self, store: &Path) -> Result<Command, End> {
        fs::create_dir_all(store)?;
        if !store.join("data").exists() {
            symlink(self.data, store.join("data"))?;
        }
        let mut command = self.retune("run", store);
        command.args(LONGER.iter().flat_map(|change| ["--set", change])).stdout(Stdio::null());
        Ok(command)
    }

    /// Trains until there is a checkpoint, and kills the run with all that it started.
    fn kill(&self, store: &Path) -> Result<(), End> {
        let mut run = self.train(store)?.process_group(0).spawn()?;
        for _ in 0..600 {
            if kept(store) || run.try_wait()?.is_some() {
                break;
            }
            sleep(Duration::from_millis(50));
        }
        ensure(run.try_wait()?.is_none(), "the training was over before it could be killed")?;
        let group = format!("-{}", run.id());
        crate::tools::run(self.checkout.command("kill").args(["-KILL", "--", &group]))?;
        run.wait()?;
        ensure(kept(store), "the killed training left no checkpoint")
    }

    /// The bytes of the outputs.
    fn results(&self, store: &Path) -> Result<Vec<Vec<u8>>, End> {
        let read = |output: &&str| {
            let shown = self.retune("show", store).args(["--path", "--output", output]).output()?;
            ensure(shown.status.success(), format!("{} has no output {output}", self.stage))?;
            Ok(fs::read(String::from_utf8_lossy(&shown.stdout).trim())?)
        };
        self.outputs.iter().map(read).collect()
    }
}

/// Whether there is a checkpoint of a training in `store`.
fn kept(store: &Path) -> bool {
    let entries = |folder: &Path| {
        let all = fs::read_dir(folder).into_iter().flatten().flatten();
        all.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut open = vec![store.join("store/v1/checkpoints")];
    while let Some(folder) = open.pop() {
        for path in entries(&folder) {
            if path.extension().is_some_and(|extension| extension == "safetensors") {
                return true;
            }
            open.push(path);
        }
    }
    false
}
