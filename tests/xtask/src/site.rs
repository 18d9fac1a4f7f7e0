//! The report's pages in headless Chromium, at two widths, light and dark: links, console, toggles, accessibility
//! (axe-core). Screenshots are left in STORE/site-test.

use std::fs;

use crate::tools::{Checkout, End, run, say};

const PACKAGES: [&str; 2] = ["puppeteer-core@25.16.0", "axe-core@4.14.1"];

pub fn check(checkout: &Checkout, words: &[String]) -> Result<(), End> {
    let lacking = |what: &str| End::Lacking(what.to_owned());
    let (store, retune) = (checkout.store(words)?, checkout.retune()?);
    let chromium = checkout.system("browser").ok_or_else(|| {
        lacking("no Chromium to look with; install one, or name it: CHROMIUM=/path/to/it")
    })?;
    checkout
        .system("command -v node && command -v npm || apt nodejs npm")
        .ok_or_else(|| lacking("missing: node and npm (apt-get install nodejs npm)"))?;
    let folder = checkout.tools.join("browser");
    let (installed, wanted) = (folder.join("installed"), PACKAGES.join(" "));
    if !fs::read_to_string(&installed).is_ok_and(|there| there.trim() == wanted) {
        say(&format!("installing {wanted} into .tools/browser"));
        fs::create_dir_all(&folder)?;
        // Not with --prefix: then npm would look there for its settings too, and miss the machine's.
        fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
        let mut npm = checkout.command("npm");
        npm.current_dir(&folder).args(["install", "--loglevel=error", "--no-audit", "--no-fund"]);
        run(npm.args(PACKAGES)).map_err(|end| End::Lacking(end.message().to_owned()))?;
        fs::write(&installed, wanted)?;
    }
    run(checkout.command(retune).args(["report", "--store"]).arg(&store))?;
    let screens = store.join("site-test");
    if screens.is_dir() {
        fs::remove_dir_all(&screens)?;
    }
    fs::create_dir_all(&screens)?;
    let mut browse = checkout.command("node");
    browse.env("NODE_PATH", folder.join("node_modules")).arg("tests/checks/site.cjs");
    run(browse.arg(store.join("report")).arg(screens).arg(chromium))
}
