//! Examples of the engine's commands, as they are typed.

use super::Example;

/// Examples of the command that is called with the words of `path`.
pub(super) fn of(path: &str) -> &'static [Example] {
    match path {
        "" => &[
            ("{program} plan", "say what a run would do and what it would cost"),
            ("{program} run {experiment}", "bring one experiment up to date"),
            (
                "{program} why {experiment}/claims",
                "say which value, input, file or code has changed",
            ),
            ("{program} show {experiment}/claims", "print a table of the results"),
        ],
        "run" => &[
            ("{program} run", "bring everything up to date under the usual profile"),
            (
                "{program} run {experiment} --profile paper --limit 20",
                "compute twenty stages of one experiment at the paper's size",
            ),
            (
                "{program} run '{experiment}/*/split=0' --force '*/split=0' --jobs 2",
                "compute stages again, two at a time",
            ),
        ],
        "plan" => &[
            ("{program} plan", "say what a run would do and what it would cost"),
            (
                "{program} plan {experiment} --set seed=2 --all",
                "the same for another value, every stage on a line of its own",
            ),
            (
                "{program} plan --profile paper --beyond desk",
                "what the papers' sizes ask for beyond those of a desk, in parts, with their costs",
            ),
        ],
        "why" => &[(
            "{program} why '{experiment}/*/split=0' --profile paper",
            "say which value, input, file or code has changed",
        )],
        "status" => &[
            ("{program} status {experiment}", "count the stages of an experiment by state"),
            ("{program} status --watch", "look again every second until all is up to date"),
        ],
        "graph" => &[(
            "{program} graph {experiment} --format mermaid",
            "draw the stages of one experiment for Markdown",
        )],
        "show" => &[
            ("{program} show {experiment}/claims --rows 5", "print the first five rows of a table"),
            (
                "{program} show '{experiment}/*/split=0' --csv",
                "print the rows of many tables, with the stage in the first column",
            ),
            ("{program} show {experiment}/claims --path", "say where the Parquet file is"),
        ],
        "verify" => {
            &[("{program} verify --deep", "hash every artifact and compare it with the records")]
        }
        "fsck" => &[
            ("{program} fsck --sample 10%", "check the store, hashing a tenth of the objects"),
            (
                "{program} fsck --repair",
                "move damaged items aside and say what will be computed again",
            ),
        ],
        "rerun" => &[(
            "{program} rerun {experiment} --check 20 --seed 3",
            "compute twenty results again and compare them",
        )],
        "record" => &[(
            "{program} record {experiment} --profile paper",
            "keep what the verdicts of a run rest on with the sources",
        )],
        "recorded" => &[("{program} recorded", "list the runs that are kept with the sources")],
        "audit" => {
            &[("{program} audit", "compute randomly drawn stages of the recorded runs again")]
        }
        "push" => &[(
            "{program} push {experiment} --remote /mnt/shared/results",
            "put results that are up to date into a folder",
        )],
        "pull" => &[(
            "{program} pull {experiment} --remote artifacts/recorded/{experiment}",
            "get results without computing any",
        )],
        "key new" => &[("{program} key new my.key", "create a key pair and print its public part")],
        "runs" => {
            &[("{program} runs", "list the runs of this store with profile, overrides and targets")]
        }
        "pin" => &[("{program} pin 3", "keep the results of run 3 whatever the configs say")],
        "unpin" => &[("{program} unpin 3", "let gc remove them again")],
        "gc" => &[("{program} gc --dry-run", "say what would be removed, and how much that is")],
        "diff" => &[
            ("{program} diff", "compare the last two runs of the profile of the last one"),
            (
                "{program} diff 3 7 --all",
                "compare two runs by number, every stage on a line of its own",
            ),
        ],
        "log" => &[
            ("{program} log", "list the latest results"),
            ("{program} log {experiment}/claims", "say how one result came about"),
            (
                "{program} log '{experiment}/*/split=0' --rows 10",
                "list the latest results of some stages",
            ),
        ],
        "rates" => &[(
            "{program} rates --check",
            "fail where records of two sizes contradict a formula of work",
        )],
        "export ro-crate" => {
            &[("{program} export ro-crate crate --run 3", "write a research object of run 3")]
        }
        "export prov" => &[("{program} export prov prov.json", "write the last run as PROV-JSON")],
        "export sheet" => {
            &[("{program} export sheet sheet.md", "fill in the sheet of an artifact evaluation")]
        }
        "export zenodo" => &[(
            "{program} export zenodo deposit --author 'Doe, Jane' --licence https://creativecommons.org/licenses/by/4.0/",
            "make a deposit of the recorded runs",
        )],
        "export sbom" => &[(
            "{program} export sbom bom.json",
            "list the components of this program as CycloneDX",
        )],
        "completions" => &[("{program} completions bash", "print the completion script of bash")],
        "man" => &[("{program} man man1", "write the pages of this manual into a folder")],
        _ => &[],
    }
}
