//! The claim about times.

use std::collections::BTreeSet;

use kit::claims::{
    Found,
    finding::{Finding, Region},
    rule::Rule,
};
use rand_chacha::ChaCha12Rng;
use stats::bootstrap::Estimate;

use super::{absent, evidence::Evidence, over_targets};

/// How many times as long a Gaussian process takes at least.
const SLOWER: f64 = 10.0;
/// The time in 30 dimensions over that in 5.
const GROWTH: (f64, f64) = (3.0, 8.0);

/// P14: the time of TPE against that of Gaussian processes, each of which has to take so much longer, and how it grows
/// with the number of dimensions.
pub fn times(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let of = |method: &str, dimensions: u32| -> Vec<f64> {
        let own = all.times.iter().filter(|s| s.method == method && s.dimensions == dimensions);
        own.map(|spent| spent.cpu).collect()
    };
    let sizes: BTreeSet<u32> = all.times.iter().map(|spent| spent.dimensions).collect();
    let methods: BTreeSet<&str> = all.times.iter().map(|spent| spent.method.as_str()).collect();
    let mut findings = Vec::new();
    for method in methods.into_iter().filter(|name| !["recommended", "random"].contains(name)) {
        for &d in &sizes {
            let pairs = of(method, d).into_iter().zip(of("recommended", d));
            let ratios: Vec<f64> = pairs.map(|(rival, own)| rival / own).collect();
            let floor = of("random", d).into_iter().sum::<f64>() / ratios.len() as f64;
            let text = |times: &Estimate| {
                format!(
                    "{method} takes {} times the CPU time of TPE; random search takes {:.3} ms",
                    times.told(1),
                    1000.0 * floor
                )
            };
            findings.push(within(
                over_targets(&format!("{method}, {d}D"), &ratios, rng, text),
                Region::above(SLOWER),
            ));
        }
    }
    let (five, thirty) = (of("recommended", 5), of("recommended", 30));
    let ratios: Vec<f64> = thirty.iter().zip(&five).map(|(thirty, five)| thirty / five).collect();
    let text = |times: &Estimate| {
        format!("TPE takes {} times the CPU time in 30 dimensions as in 5", times.told(1))
    };
    let growth = over_targets("growth", &ratios, rng, text);
    findings.push(within(growth, Region::between(GROWTH.0, GROWTH.1)));
    if findings.len() == 1 {
        findings.push(absent("Gaussian processes"));
    }
    (Rule::All, findings)
}

/// Runs under several seeds are replicates: an interval of fewer than eight gives no answer.
fn within(finding: Finding, region: Region) -> Finding {
    if finding.estimate.is_none() {
        return finding;
    }
    finding.within(region).without_effect(1.0).of_replicates()
}
