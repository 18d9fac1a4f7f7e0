//! The experiments on texts, each as trainings and a table.

use kit::{
    claims::wiring::Source,
    wire::{Handle, Wire},
};
use models::neural::{
    self_tuning::{Control, Hyper, Scale, Schedule, Tuning},
    self_tuning_lstm::StLstm,
};
use pipeline::error::{Error, Result};

use super::{
    config::{Other, Sensitivity, Variant, at},
    search::Search,
    stages::{
        ask::{Ask, of_round, of_trial},
        choose::{Choice, Choose, of_value},
        collect::{Entry, TEXT},
        population::Population,
        race::{Race, Run},
        timed::Timed,
        train::Train,
    },
    trained,
    trainings::{Feed, Trainings},
};
use crate::{
    population::METHOD,
    tables::{
        asked::AskedValue,
        trace::{Cost, Epoch, Taken},
    },
    verdicts::evidence::{
        CURVES, DROPOUTS, OTHER, RACE, SCALES, SCHEDULES, STARTS_EPOCHS, STARTS_STEPS, TABLE_1,
    },
};

/// A training in a comparison.
struct Trained {
    epochs: Handle<Epoch>,
    cost: Handle<Cost>,
    times: Handle<Taken>,
}

impl Trained {
    fn of(stage: String) -> Self {
        Self {
            epochs: Train::MAIN.of(stage.as_str()),
            cost: Train::COST.of(stage.as_str()),
            times: Train::TIMES.of(stage),
        }
    }
}

fn entry(method: &str, value: Option<f64>, replicate: u32, stage: String) -> Entry {
    Entry { method: method.to_owned(), value, second: None, replicate, stage }
}

impl Trainings<'_, '_, '_> {
    /// Adds a stage that chooses from trainings at fixed values.
    fn choose(&mut self, name: String, choice: Choice, from: &[Entry]) -> Result<Feed> {
        let values = from.iter().filter_map(|e| e.value).collect();
        let hyper = self.values.output.hyper.name.clone();
        let draft = self.builder.add(name, &Choose { choice, name: hyper, values })?;
        for (i, entry) in from.iter().enumerate() {
            let epochs = Train::MAIN.of(entry.stage.as_str());
            draft.reads(&Choose::EPOCHS.at(of_value(i)), &epochs);
        }
        Ok(Feed::Schedule(draft.gives(&Choose::MAIN)))
    }

    /// Output dropout at fixed values.
    fn fixed(&mut self, below: &str, values: &[f64], replicate: u32) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for &value in values {
            let settings =
                self.values.plain(vec![at(&self.values.output.hyper, value)], &Schedule::Fixed);
            let name = format!("{below}/fixed={value}");
            let stage = self.train(name, "fixed", settings, replicate, &Feed::Nothing)?;
            entries.push(entry("fixed", Some(value), replicate, stage));
        }
        Ok(entries)
    }

    /// Table 1 and figures 3, 8 and 9.
    pub(super) fn output(&mut self) -> Result<[Source; 3]> {
        let output = &self.values.output;
        let one = || vec![output.hyper.clone()];
        let (mut all, mut starts) = (Vec::new(), Vec::new());
        for replicate in 0..self.values.replicates {
            let below = format!("stn/text/output/replicate={replicate}");
            let fixed = self.fixed(&below, &output.fixed, replicate)?;
            for &start in [output.hyper.start].iter().chain(&output.starts) {
                let settings =
                    self.values.tuned(vec![at(&output.hyper, start)], self.values.tuning);
                let name = format!("{below}/stn-from={start}");
                let stage = self.train(name, "stn", settings, replicate, &Feed::Nothing)?;
                starts.push(entry("stn", Some(start), replicate, stage));
            }
            let stn = format!("{below}/stn-from={}", output.hyper.start);
            all.push(entry("stn", None, replicate, stn.clone()));

            let best = self.choose(format!("{below}/best"), Choice::Best, &fixed)?;
            let greedy = self.choose(format!("{below}/greedy-schedule"), Choice::Greedy, &fixed)?;
            let name = output.hyper.name.clone();
            let stage = Choose { choice: Choice::Last, name, values: Vec::new() };
            let course = Train::COURSE_OF.of(stn);
            let draft = self.builder.add(format!("{below}/last"), &stage)?;
            let last = draft.reads(&Choose::COURSE, &course).gives(&Choose::MAIN);
            let noise = Schedule::Noise { deviation: output.noise };
            let sine = Schedule::Sine { amplitude: output.amplitude, period: output.period };
            for (method, moves, feed) in [
                ("gaussian", noise, best.clone()),
                ("sinusoid", sine, best),
                ("final-value", Schedule::Fixed, Feed::Schedule(last)),
                ("schedule", Schedule::Fixed, Feed::Schedule(course)),
                ("greedy", Schedule::Fixed, greedy),
            ] {
                let settings = self.values.plain(one(), &moves);
                let name = format!("{below}/{method}");
                let stage = self.train(name, method, settings, replicate, &feed)?;
                all.push(entry(method, None, replicate, stage));
            }
            all.extend(fixed);
        }
        let all = self.figure("table-1", all, &[])?;
        let starts = self.figure("starts", starts, &[])?;
        Ok([
            Source::new(&TABLE_1, &all.main),
            Source::new(&STARTS_STEPS, &starts.steps),
            Source::new(&STARTS_EPOCHS, &starts.epochs),
        ])
    }

    /// The seven hyper-parameters, tuned in this way.
    fn seven(&mut self, way: &str, settings: StLstm, replicate: u32) -> Result<String> {
        let name = format!("stn/text/seven/replicate={replicate}/{way}");
        self.train(name, way, settings, replicate, &Feed::Nothing)
    }

    /// Table 2 and figures 4, 10 (a) and 11 (a).
    pub(super) fn table_2(&mut self) -> Result<[Source; 4]> {
        let values = self.values;
        let (mut runs, mut courses) = (Vec::new(), Vec::new());
        let (mut schedules, mut scales) = (Vec::new(), Vec::new());
        for replicate in 0..values.seven.replicates {
            let hypers = &values.seven.hypers;
            let tuned = |tuning: Tuning| values.tuned(hypers.clone(), tuning);
            let stn = self.seven("stn", tuned(values.tuning), replicate)?;
            let mut ways = vec![("stn".to_owned(), stn.clone())];
            for Variant { name, network, descent, tuning } in &values.variants {
                let (control, hypers) = (Control::Tuned(*tuning), hypers.clone());
                let settings = StLstm { network: *network, hypers, control, descent: *descent };
                ways.push((name.clone(), self.seven(name, settings, replicate)?));
            }
            for (method, stage) in ways {
                courses.push(entry(&method, None, replicate, stage.clone()));
                runs.push((method, replicate, vec![Trained::of(stage)]));
            }
            for (method, search) in values.searches() {
                let trainings = self.search(method, search, replicate)?;
                let trainings = trainings.into_iter().map(Trained::of).collect();
                runs.push((method.to_owned(), replicate, trainings));
            }
            runs.push((METHOD.to_owned(), replicate, vec![self.population(replicate)?]));
            let Sensitivity { schedules: steps, scales: deviations } = &values.sensitivity;
            for &[train_steps, valid_steps] in steps {
                let tuning = Tuning { train_steps, valid_steps, ..values.tuning };
                let way = format!("{train_steps}-to-{valid_steps}");
                let stage = if tuning == values.tuning {
                    stn.clone()
                } else {
                    self.seven(&way, tuned(tuning), replicate)?
                };
                schedules.push(entry(&way, None, replicate, stage));
            }
            for &deviation in deviations {
                let tuning = Tuning { scale: Scale::Fixed(deviation), ..values.tuning };
                let stage = if tuning == values.tuning {
                    stn.clone()
                } else {
                    self.seven(&format!("scale={deviation}"), tuned(tuning), replicate)?
                };
                scales.push(entry("fixed scale", Some(deviation), replicate, stage));
            }
        }
        self.figure("seven", courses, &[])?;
        let schedules = self.figure("schedules", schedules, &[])?;
        let scales = self.figure("scales", scales, &[])?;
        let [race, curves] = self.race(runs)?;
        let schedules = Source::new(&SCHEDULES, &schedules.main);
        Ok([race, curves, schedules, Source::new(&SCALES, &scales.main)])
    }

    /// Population-based training: not in the paper.
    fn population(&mut self, replicate: u32) -> Result<Trained> {
        let values = self.values;
        let settings = values.plain(values.seven.hypers.clone(), &Schedule::Fixed);
        let memory_mib = self.memory_mib(&settings);
        let stage = Population {
            replicate,
            settings,
            bounds: values.seven.bounds.clone(),
            population: values.seven.population,
            device: self.device,
            memory_mib,
        };
        let name = format!("stn/text/seven/replicate={replicate}/{METHOD}");
        let draft = self.add(name, &stage, replicate)?;
        let cost = draft.gives(&Population::COST).seen_as();
        let times = draft.gives(&Population::TIMES);
        Ok(Trained { epochs: draft.gives(&Population::MAIN), cost, times })
    }

    fn race(&mut self, runs: Vec<(String, u32, Vec<Trained>)>) -> Result<[Source; 2]> {
        let budget = (self.values.seven.budget * self.values.descent.epochs) as f64;
        let named = |(method, replicate, trainings): &(String, u32, Vec<Trained>)| {
            let trainings = trainings.iter().map(|own| own.epochs.stage().to_owned()).collect();
            Run { method: method.clone(), replicate: *replicate, trainings }
        };
        let named: Vec<Run> = runs.iter().map(named).collect();
        let race = Race { runs: named.clone(), budget };
        let text = self.name_of_text();
        let draft = self.builder.add("stn/text/figures/race", &race)?;
        draft.reads(&TEXT, &text);
        let trainings = || runs.iter().flat_map(|(.., trainings)| trainings);
        for Trained { epochs, cost, .. } in trainings() {
            draft.may_read(&trained::epochs(epochs.stage()), epochs);
            draft.may_read(&trained::cost(epochs.stage()), cost);
        }
        let (main, curves) = (draft.gives(&Race::MAIN), draft.gives(&Race::CURVES));
        let draft = self.builder.add("stn/text/figures/times", &Timed { runs: named })?;
        draft.reads(&Timed::CURVES, &curves);
        for Trained { epochs, cost, times } in trainings() {
            draft.may_read(&trained::cost(epochs.stage()), cost);
            draft.may_read(&Timed::TAKEN.at(Timed::times(epochs.stage())), times);
        }
        Ok([Source::new(&RACE, &main), Source::new(&CURVES, &curves)])
    }

    /// All rounds of a search. Returns its trainings in order.
    fn search(&mut self, method: &str, search: Search, replicate: u32) -> Result<Vec<String>> {
        let values = self.values;
        let (bounds, hypers) = (&values.seven.bounds, &values.seven.hypers);
        let sizes = search
            .rounds(bounds, values.seven.budget)
            .map_err(|e| Error::usage(format!("[text.seven]: {e}")))?;
        let mut rounds: Vec<(Handle<AskedValue>, Vec<String>)> = Vec::new();
        for (round, &size) in sizes.iter().enumerate() {
            let below = format!("stn/text/seven/replicate={replicate}/{method}/round={round}");
            let stage = Ask {
                search,
                bounds: bounds.clone(),
                sizes: sizes[..=round].to_vec(),
                epochs: values.descent.epochs as u32,
            };
            let seed = self.seed(&format!("search {method}"), replicate);
            let draft = self.builder.add(format!("{below}/ask"), &stage)?.seed(seed);
            for (i, (asked, trials)) in rounds.iter().enumerate() {
                draft.reads(&Ask::ASKED.at(of_round(i)), asked);
                for (row, trial) in trials.iter().enumerate() {
                    draft.reads(&Ask::TOLD.at(of_trial(i, row)), &Train::MAIN.of(trial.as_str()));
                }
            }
            let asked = draft.gives(&Ask::MAIN);
            let mut trials = Vec::new();
            for row in 0..size {
                let settings = values.plain(hypers.clone(), &Schedule::Fixed);
                let feed = Feed::Asked(asked.clone(), row);
                let name = format!("{below}/trial={row}");
                trials.push(self.train(name, method, settings, replicate, &feed)?);
            }
            rounds.push((asked, trials));
        }
        Ok(rounds.into_iter().flat_map(|(_, trials)| trials).collect())
    }

    /// Figure 7.
    pub(super) fn dropouts(&mut self) -> Result<Source> {
        let (values, grid) = (self.values, &self.values.dropouts);
        let mut entries = Vec::new();
        for replicate in 0..grid.replicates {
            for &input in &grid.input {
                for &output in &grid.output {
                    let both: [&Hyper; 2] = [&grid.hypers[0], &grid.hypers[1]];
                    let hypers = vec![at(both[0], input), at(both[1], output)];
                    let mut settings = values.plain(hypers, &Schedule::Fixed);
                    settings.descent.epochs = grid.epochs.last().copied().unwrap_or(1);
                    let name = format!(
                        "stn/text/dropouts/replicate={replicate}/input={input}/output={output}"
                    );
                    let stage = self.train(name, "grid", settings, replicate, &Feed::Nothing)?;
                    let second = Some(output);
                    entries.push(Entry { second, ..entry("grid", Some(input), replicate, stage) });
                }
            }
        }
        let grid = self.figure("dropouts", entries, &grid.epochs)?;
        Ok(Source::new(&DROPOUTS, &grid.epochs))
    }

    /// Output dropout on another text, fixed and tuned.
    pub(super) fn other(&mut self) -> Result<Source> {
        let Other { data_set, fixed, replicates } = &self.values.other;
        let at = format!("stn/text/{data_set}");
        self.read(&at, data_set, None)?;
        let mut all = Vec::new();
        for replicate in 0..*replicates {
            let below = format!("{at}/replicate={replicate}");
            all.extend(self.fixed(&below, fixed, replicate)?);
            let settings =
                self.values.tuned(vec![self.values.output.hyper.clone()], self.values.tuning);
            let stage =
                self.train(format!("{below}/stn"), "stn", settings, replicate, &Feed::Nothing)?;
            all.push(entry("stn", None, replicate, stage));
        }
        Ok(Source::new(&OTHER, &self.figure("other", all, &[])?.main))
    }
}
