//! The experiments on texts, each as trainings and a table.

use models::neural::{
    self_tuning::{Control, Hyper, Scale, Schedule, Tuning},
    self_tuning_lstm::StLstm,
};
use pipeline::error::{Error, Result};

use super::{
    config::{Other, Sensitivity, Variant, at},
    search::Search,
    stages::{
        ask::{Ask, asked_role, told_role},
        choose::{self, Choice, Choose},
        collect::Entry,
        population::Population,
        race::{self, Race, Run},
    },
    trainings::{Feed, Trainings},
};
use crate::population::METHOD;

fn entry(method: &str, value: Option<f64>, replicate: u32, stage: String) -> Entry {
    Entry { method: method.to_owned(), value, second: None, replicate, stage }
}

impl Trainings<'_, '_, '_> {
    /// Adds a stage that chooses from trainings at fixed values.
    fn choose(&mut self, name: String, choice: Choice, from: &[Entry]) -> Result<Feed> {
        let values = from.iter().filter_map(|e| e.value).collect();
        let hyper = self.values.output.hyper.name.clone();
        let draft = self.builder.add(name.clone(), &Choose { choice, name: hyper, values })?;
        for (i, entry) in from.iter().enumerate() {
            draft.input(choose::role(i), entry.stage.clone());
        }
        Ok(Feed::Schedule(name, "main"))
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
    pub(super) fn output(&mut self) -> Result<()> {
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
            let last = format!("{below}/last");
            let name = output.hyper.name.clone();
            let stage = Choose { choice: Choice::Last, name, values: Vec::new() };
            self.builder.add(last.clone(), &stage)?.read("course", stn.clone(), "course", false);
            let noise = Schedule::Noise { deviation: output.noise };
            let sine = Schedule::Sine { amplitude: output.amplitude, period: output.period };
            for (method, course, feed) in [
                ("gaussian", noise, best.clone()),
                ("sinusoid", sine, best),
                ("final-value", Schedule::Fixed, Feed::Schedule(last, "main")),
                ("schedule", Schedule::Fixed, Feed::Schedule(stn, "course")),
                ("greedy", Schedule::Fixed, greedy),
            ] {
                let settings = self.values.plain(one(), &course);
                let name = format!("{below}/{method}");
                let stage = self.train(name, method, settings, replicate, &feed)?;
                all.push(entry(method, None, replicate, stage));
            }
            all.extend(fixed);
        }
        self.figure("table-1", all, &[])?;
        self.figure("starts", starts, &[])
    }

    /// The seven hyper-parameters, tuned in this way.
    fn seven(&mut self, way: &str, settings: StLstm, replicate: u32) -> Result<String> {
        let name = format!("stn/text/seven/replicate={replicate}/{way}");
        self.train(name, way, settings, replicate, &Feed::Nothing)
    }

    /// Table 2 and figures 4, 10 (a) and 11 (a).
    pub(super) fn table_2(&mut self) -> Result<()> {
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
                runs.push(Run { method, replicate, trainings: vec![stage] });
            }
            for (method, search) in values.searches() {
                let trainings = self.search(method, search, replicate)?;
                runs.push(Run { method: method.to_owned(), replicate, trainings });
            }
            let trainings = vec![self.population(replicate)?];
            runs.push(Run { method: METHOD.to_owned(), replicate, trainings });
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
        self.figure("schedules", schedules, &[])?;
        self.figure("scales", scales, &[])?;
        self.race(runs)
    }

    /// Population-based training: not in the paper.
    fn population(&mut self, replicate: u32) -> Result<String> {
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
        self.add(name.clone(), &stage, replicate)?;
        Ok(name)
    }

    fn race(&mut self, runs: Vec<Run>) -> Result<()> {
        let budget = (self.values.seven.budget * self.values.descent.epochs) as f64;
        let trainings: Vec<String> = runs.iter().flat_map(|run| run.trainings.clone()).collect();
        let draft = self.builder.add("stn/text/figures/race", &Race { runs, budget })?;
        Self::name_text(draft, &self.text);
        for training in trainings {
            for output in ["main", "cost"] {
                draft.read(race::role(&training, output), training.clone(), output, true);
            }
        }
        Ok(())
    }

    /// All rounds of a search. Returns its trainings in order.
    fn search(&mut self, method: &str, search: Search, replicate: u32) -> Result<Vec<String>> {
        let values = self.values;
        let (bounds, hypers) = (&values.seven.bounds, &values.seven.hypers);
        let sizes = search
            .rounds(bounds, values.seven.budget)
            .map_err(|e| Error::usage(format!("[text.seven]: {e}")))?;
        let mut rounds: Vec<(String, Vec<String>)> = Vec::new();
        for (round, &size) in sizes.iter().enumerate() {
            let below = format!("stn/text/seven/replicate={replicate}/{method}/round={round}");
            let ask = format!("{below}/ask");
            let stage = Ask {
                search,
                bounds: bounds.clone(),
                sizes: sizes[..=round].to_vec(),
                epochs: values.descent.epochs as u32,
            };
            let seed = self.seed(&format!("search {method}"), replicate);
            let draft = self.builder.add(ask.clone(), &stage)?.seed(seed);
            for (i, (asked, trials)) in rounds.iter().enumerate() {
                draft.input(asked_role(i), asked.clone());
                for (row, trial) in trials.iter().enumerate() {
                    draft.input(told_role(i, row), trial.clone());
                }
            }
            let mut trials = Vec::new();
            for row in 0..size {
                let settings = values.plain(hypers.clone(), &Schedule::Fixed);
                let feed = Feed::Asked(ask.clone(), row);
                let name = format!("{below}/trial={row}");
                trials.push(self.train(name, method, settings, replicate, &feed)?);
            }
            rounds.push((ask, trials));
        }
        Ok(rounds.into_iter().flat_map(|(_, trials)| trials).collect())
    }

    /// Figure 7.
    pub(super) fn dropouts(&mut self) -> Result<()> {
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
        self.figure("dropouts", entries, &grid.epochs)
    }

    /// Output dropout on another text, fixed and tuned.
    pub(super) fn other(&mut self) -> Result<()> {
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
        self.figure("other", all, &[])
    }
}
