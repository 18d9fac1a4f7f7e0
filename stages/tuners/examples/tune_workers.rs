//! Tunes with many workers, in a file: it may be killed at any time and started again, also twice at once. Usage:
//! `tune_workers FILE TRIALS WORKERS [MILLISECONDS]`, the last being what an evaluation takes. Prints the number of
//! each trial that it has evaluated, then the best.

use std::{io::Write as _, path::Path, thread, time::Duration};

use tuners::space::{Domain, Parameter, Space};
use tuners::study::{Mode, Settings, Study};
use tuners::{bayesian::tpe::TpeSettings, method::Method};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, trials, workers, pause @ ..] = arguments.as_slice() else {
        return Err("usage: tune_workers FILE TRIALS WORKERS [MILLISECONDS]".into());
    };
    let pause = Duration::from_millis(pause.first().map_or(Ok(0), |text| text.parse())?);
    let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
    let space = Space::new(vec![
        parameter("rate", Domain::Float { low: 1e-5, high: 1.0, log: true }),
        parameter("layers", Domain::Int { low: 1, high: 8, log: false }),
    ])?;
    // Rounds of four: the same trials for any number of workers and processes.
    let settings = Settings { seed: 7, mode: Mode::Rounds { size: 4 }, ..Settings::default() };
    let method = Method::Tpe(TpeSettings::default());
    let mut study = Study::open(Path::new(file), space, method, settings)?;
    study.run(trials.parse()?, workers.parse()?, |trial| {
        thread::sleep(pause);
        let (rate, layers) = (trial.config()[0], trial.config()[1]);
        let loss = (rate.log10() + 2.0).powi(2) + 0.1 * (layers - 3.0).powi(2);
        // A line that cannot be printed is no reason to fail.
        writeln!(std::io::stdout(), "{}", trial.id()).map_or(f64::NAN, |()| loss)
    })?;
    let best = study.best().ok_or("every evaluation failed")?;
    writeln!(std::io::stdout(), "best {:?} at {:?}", best.value(), best.suggestion.config)?;
    Ok(())
}
