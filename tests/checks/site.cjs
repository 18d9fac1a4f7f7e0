// browse.cjs REPORT SHOTS CHROMIUM: opens every page that index.html leads to, as files, in headless
// Chromium. Fails at a request beyond the report, a dead link, a message on the console, a page wider
// than its window, a violation that axe-core finds, a toggle that does nothing, an explorer that judges
// otherwise than the program did, or a trace that moves unasked or not at all.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const [report, shots, chromium] = process.argv.slice(2).map((name) => path.resolve(name));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [390, 1280];
const LOOKS = ["light", "dark"];
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);

const address = (file) => pathToFileURL(path.join(report, file)).href;

// A page that tells on itself. None knows the look that was chosen on another.
async function open(browser, file, { width, look, scripts = true }) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.once("close", () => context.close().catch(() => {}));
  const where = `${file} ${width} ${look}${scripts ? "" : " without scripts"}`;
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: look }]);
  await page.setJavaScriptEnabled(scripts);
  page.on("console", (message) => fault(where, `console: ${message.text()}`));
  page.on("pageerror", (error) => fault(where, `error: ${error.message}`));
  page.on("requestfailed", (request) => fault(where, `request failed: ${request.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    const own = url.startsWith(pathToFileURL(report).href) || url.startsWith("data:");
    if (!own) fault(where, `asks for ${url}`);
  });
  await page.goto(address(file), { waitUntil: "load" });
  return { page, where };
}

async function links(page) {
  return page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
}

// Every page of ours, found by following links; and every link of theirs, tried.
async function pages(browser) {
  const seen = new Map();
  const wanted = ["index.html"];
  while (wanted.length > 0) {
    const file = wanted.pop();
    if (seen.has(file)) continue;
    const { page } = await open(browser, file, { width: 1280, look: "light" });
    const ids = await page.$$eval("[id]", (all) => all.map((one) => one.id));
    const own = (await page.$("script[src='site.js']")) !== null;
    seen.set(file, { ids: new Set(ids), links: own ? await links(page) : [], own });
    await page.close();
    for (const link of seen.get(file).links) {
      const target = link.split("#")[0];
      // Where the papers and their code are: a reader may go there, the page itself asks for nothing.
      if (target === "" || target.startsWith("https://")) continue;
      if (!fs.existsSync(path.join(report, target))) fault(file, `dead link ${link}`);
      else if (target.endsWith(".html")) wanted.push(target);
    }
  }
  for (const [file, { links }] of seen) {
    for (const link of links.filter((link) => link.includes("#"))) {
      const [target, id] = link.split("#");
      const there = seen.get(target === "" ? file : target);
      if (there && !there.ids.has(decodeURIComponent(id))) fault(file, `no such place: ${link}`);
    }
  }
  return [...seen].map(([file, { own }]) => ({ file, own })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

// The page from its top; what is longer than a browser can take is cut.
async function shoot(page, name) {
  const { width } = page.viewport();
  const { contentSize } = await (await page.createCDPSession()).send("Page.getLayoutMetrics");
  const clip = { x: 0, y: 0, width, height: Math.min(contentSize.height, 8000) };
  await page.screenshot({ path: path.join(shots, name), clip, captureBeyondViewport: true });
}

async function look(browser, file) {
  for (const width of WIDTHS) {
    for (const look of LOOKS) {
      const { page, where } = await open(browser, file, { width, look });
      const dark = await page.evaluate(() =>
        getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)");
      if (dark !== (look === "dark")) fault(where, "has the other look");
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      if (wide > 0) fault(where, `is ${wide} pixels wider than its window`);
      // On a phone a graph has to scroll to be readable.
      if (width > 1000) {
        const cut = await page.$$eval(".dag", (all) => all.map((one) => one.parentElement)
          .filter((box) => box.scrollWidth > box.clientWidth).length);
        if (cut > 0) fault(where, `${cut} graphs do not fit`);
      }
      await shoot(page, `${file.slice(0, -5)}-${width}-${look}.png`);
      // What is folded away must be accessible too.
      await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      for (const { id, help, nodes } of violations) {
        fault(where, `${id}: ${help}: ${nodes.length} × ${nodes[0].html.slice(0, 160)}`);
      }
      await page.close();
    }
  }
}

// The cases that the program judged; and what each explorer says as it opens, moved, and put back.
const judged = JSON.parse(fs.readFileSync(path.join(__dirname, "../golden/verdicts.json"), "utf8"));
async function explorers(page, where) {
  const sections = await page.$$(".explorer");
  if (sections.length === 0) return;
  const wrong = await page.evaluate((cases) =>
    cases.filter((one) => window.retune.judge(one.grounds, one.change).verdict !== one.verdict).length, judged);
  if (wrong > 0) fault(where, `${wrong} of ${judged.length} cases are judged otherwise`);
  const known = new Set(judged.map((one) => one.verdict));
  for (const section of sections) {
    const wanted = await section.$eval("script", (script) => JSON.parse(script.textContent).runs.map((run) => run.verdict));
    const told = () => section.$eval(".told", (line) => line.dataset.verdict);
    const set = (control, value) => section.$eval(control, (one, value) => {
      one.value = value;
      one.dispatchEvent(new Event("input"));
    }, value);
    for (const [i, verdict] of wanted.entries()) {
      await set("select", String(i));
      if ((await told()) !== verdict) fault(where, `an explorer opens with ${await told()}, not ${verdict}`);
    }
    await set("select", "0");
    if (await section.$eval("input[type=number]", (one) => one.disabled)) continue;
    for (const far of ["-1e9", "1e9"]) {
      await set("input[type=number]", far);
      if (!known.has(await told())) fault(where, `an explorer says ${await told()}`);
    }
    await section.$eval("button", (button) => button.click());
    if ((await told()) !== wanted[0]) fault(where, "an explorer is not put back");
  }
}

// Traces stand whole and still at first; the slider takes them back, by keys too.
async function moving(page, where) {
  for (const figure of await page.$$("[data-moves]")) {
    const shown = () => figure.$$eval("[data-step]", (all) => all.filter((one) => one.style.display !== "none").length);
    const all = await shown();
    await new Promise((done) => setTimeout(done, 400));
    if ((await shown()) !== all) fault(where, "a trace moves before it is asked to");
    const slider = await figure.$("input[type=range]");
    await slider.focus();
    await page.keyboard.press("Home");
    const first = await shown();
    if (!(first > 0 && first < all)) fault(where, `a trace at its first step shows ${first} of ${all} steps`);
    const play = await figure.$(".controls button");
    await play.click();
    await new Promise((done) => setTimeout(done, 600));
    await play.click();
    const later = await shown();
    if (later <= first) fault(where, "a trace does not play");
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await new Promise((done) => setTimeout(done, 200));
    if (await play.evaluate((button) => !button.hidden)) fault(where, "a trace plays where less motion is wanted");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await slider.focus();
    await page.keyboard.press("End");
    if ((await shown()) !== all) fault(where, "a trace does not come to its end");
  }
}

async function toggles(browser, file) {
  const { page, where } = await open(browser, file, { width: 1280, look: "light" });
  await page.click("#look");
  const chosen = await page.evaluate(() => document.documentElement.dataset.look);
  if (chosen !== "dark") fault(where, `the button chose the look ${chosen}`);
  await page.click("#look");
  for (const [i, figure] of (await page.$$("[data-toggles]")).entries()) {
    const box = await figure.$(".series input");
    if (box) {
      const series = await figure.$eval(".series li", (li) => li.dataset.series);
      const count = () => figure.$$eval(`g[data-series="${series}"]`, (all) =>
        all.filter((one) => one.style.display !== "none").length);
      const before = await count();
      await box.click();
      if (before === 0 || (await count()) !== 0) fault(where, `figure ${i}: the method stays`);
      await box.click();
      if ((await count()) !== before) fault(where, `figure ${i}: the method does not come back`);
    }
    const choice = await figure.$("select");
    if (choice) {
      const names = await choice.$$eval("option", (all) => all.map((one) => one.value));
      await choice.select(names[1]);
      const left = await figure.$$eval("svg[data-panel]", (all) =>
        all.filter((one) => one.style.display !== "none").map((one) => one.dataset.panel));
      if (left.length !== 1 || left[0] !== names[1]) fault(where, `figure ${i} shows ${left}`);
      await choice.select("");
    }
  }
  await explorers(page, where);
  await moving(page, where);
  await page.close();

  const bare = await open(browser, file, { width: 1280, look: "light", scripts: false });
  const without = await bare.page.$$eval("main svg", (all) => all.length);
  await shoot(bare.page, `${file.slice(0, -5)}-without-scripts.png`);
  const again = await open(browser, file, { width: 1280, look: "light" });
  const drawn = await again.page.$$eval("main svg", (all) => all.length);
  if (without !== drawn) fault(where, `${without} drawings without scripts, ${drawn} with`);
  const first = await again.page.keyboard.press("Tab").then(() =>
    again.page.evaluate(() => document.activeElement.className));
  if (first !== "skip") fault(where, `the first key stops at “${first}”, not at the skip link`);
  await again.page.pdf({ path: path.join(shots, `${file.slice(0, -5)}.pdf`), format: "A4" });
  await bare.page.close();
  await again.page.close();
}

// Browsers that look side by side: one mostly waits for its pages.
const BROWSERS = 2;

(async () => {
  const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
  // Each has a window of its own: a page in the background has no focus.
  const launched = () => puppeteer.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--allow-file-access-from-files", "--font-render-hinting=none"],
  });
  const browsers = [await launched()];
  try {
    const all = await pages(browsers[0]);
    while (browsers.length < BROWSERS) browsers.push(await launched());
    const left = [...all];
    await Promise.all(browsers.map(async (browser) => {
      for (let next = left.shift(); next; next = left.shift()) {
        await look(browser, next.file);
        // Others' pages have no scripts.
        if (next.own) await toggles(browser, next.file);
      }
    }));
    console.log(`${all.length} pages at ${WIDTHS.join(" and ")} pixels, ${LOOKS.join(" and ")}: ${faults.length} faults`);
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()));
  }
  for (const line of faults.sort()) console.error(line);
  process.exitCode = faults.length > 0 ? 1 : 0;
})();
