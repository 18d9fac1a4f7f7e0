//! Tunes with growing budgets: most configurations are trained for few epochs, the best go on. Usage:
//! `tune_fidelities`.

use std::{collections::BTreeMap, io::Write as _, sync::Mutex};

use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};
use tuners::multi_fidelity::hyperband::HyperbandSettings;
use tuners::space::Bounds;
use tuners::{method::Method, study::Settings, study::Study};

/// What a training of yours keeps between epochs.
#[derive(Clone, Copy)]
struct Model {
    weight: f64,
    epochs: u64,
}

/// Gradient descent on (weight − 1)² with the rate that is tuned, for one epoch.
fn train(model: Model, rate: f64) -> Model {
    Model { weight: model.weight - rate * 2.0 * (model.weight - 1.0), epochs: model.epochs + 1 }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
    let budgets = Budgets { minimum: 1, maximum: 27, eta: 3, arithmetic, sizes };
    let method = Method::Hyperband(HyperbandSettings { budgets, brackets: Some(4) });
    let space = Bounds::new(vec![0.0], vec![1.1])?.into();
    let mut study = Study::new(space, method, Settings::default())?;
    // A trial of a higher budget goes on with the model of the lower one.
    let models = Mutex::new(BTreeMap::new());
    study.run(u64::MAX, 1, |trial| {
        let before = trial.continues.and_then(|id| models.lock().ok()?.get(&id).copied());
        let mut model = before.unwrap_or(Model { weight: 5.0, epochs: 0 });
        while model.epochs < trial.resource(27.0) as u64 {
            model = train(model, trial.config()[0]);
        }
        if let Ok(mut models) = models.lock() {
            models.insert(trial.id(), model);
        }
        (model.weight - 1.0).abs()
    })?;
    let best = study.best().and_then(|best| Some((best.value()?, best.suggestion.config[0])));
    let (loss, rate) = best.ok_or("every evaluation failed")?;
    let trials = study.trials().len();
    writeln!(std::io::stdout(), "{loss:.1e} at rate {rate:.2} after {trials} trials")?;
    Ok(())
}
