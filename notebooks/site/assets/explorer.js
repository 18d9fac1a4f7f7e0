// The sensitivity of a verdict: a claim's findings are judged again under another threshold, sample or size, by the
// rule that gave the verdict (kit's `claims`, whose cases in tests/golden/verdicts.json this has to pass). For
// display only: nothing of it is kept, and without it the page has a sentence and a table.
"use strict";

(() => {
  const LEAST_REPLICATES = 8;
  const VACUOUS = 0.1;
  const POWER = 0.8;
  const MISSED = 0.05;
  const NONE = { shift: 0, factor: 1, whole: false };
  const number = (value) => (value === null || value === undefined ? NaN : value);
  // A threshold that is missing at one end is a half line.
  const region = ([low, high]) => [low === null ? -Infinity : low, high === null ? Infinity : high];
  const holds = ([low, high], value) => low < value && value < high;

  function varied(found, change) {
    const own = number(found.value);
    const of = { ...found, value: own, low: number(found.low), high: number(found.high) };
    of.tested = found.value !== null || found.n > 0;
    if (of.tested && change.factor !== 1) {
      of.n = Math.max(1, Math.round(found.n * change.factor));
      const narrow = Math.sqrt(found.n / of.n);
      const ratio = found.published && found.published[2] === "ratio" && of.low > 0;
      const end = (end) => (ratio ? own * (end / own) ** narrow : own + (end - own) * narrow);
      [of.low, of.high] = [end(of.low), end(of.high)];
    }
    if (found.region && of.tested) {
      const before = region(found.region);
      of.region = before.map((end) => end + change.shift);
      if (found.met === holds(before, own)) of.met = holds(of.region, own);
    }
    of.scaled_down = found.scaled_down && !change.whole;
    return of;
  }

  function answer(of) {
    if (!of.tested) return "untested";
    if (of.met === null) return "open";
    if (!of.region) return of.met ? "yes" : "no";
    if (of.replicated && of.n < LEAST_REPLICATES) return "open";
    const [low, high] = of.region;
    if (low < of.low && of.high < high) return of.met ? "yes" : "open";
    let refuted = false;
    if (!of.met && of.published && of.published[2] !== "level") {
      const [value, atLeast, kind] = of.published;
      const within = (value) => of.low <= value && value <= of.high;
      const reached = within(value) || (atLeast && of.high >= value);
      refuted = within(kind === "ratio" ? 1 : 0) && !reached;
    }
    // An effect that is there, though a smaller one than is asked for.
    const none = number(of.without_effect);
    const parted = (none < of.low && of.high <= low) || (high <= of.low && of.high < none);
    const missed = (of.high <= low || high <= of.low) && !parted;
    return missed || refuted ? "no" : "open";
  }

  function tally(answers) {
    const count = { yes: 0, no: 0, open: 0, untested: 0, last: answers[answers.length - 1] };
    for (const one of answers) count[one] += 1;
    return count;
  }

  const WITHOUT_LAST = "all, partly without the last";

  function join(rule, counts) {
    const { yes, no, open, untested, last } = counts;
    const undecided = open + untested;
    if (rule === WITHOUT_LAST) {
      const others = join("all", { ...counts, [last]: counts[last] - 1 });
      return others !== "met" ? others : last === "yes" ? "met" : last === "no" ? "in part" : "open";
    }
    if (rule === "each" || rule === "a third may contradict") {
      if (yes + no === 0) return "open";
      if (no === 0) return undecided === 0 ? "met" : "open";
      if (rule === "each") return yes > 0 ? "in part" : undecided === 0 ? "missed" : "open";
      const all = yes + no + undecided;
      return 3 * (no + undecided) <= all ? "in part" : 3 * no > all ? "missed" : "open";
    }
    if (rule === "all") return no > 0 ? "missed" : yes > 0 && undecided === 0 ? "met" : "open";
    if (rule === "agree") {
      if (undecided > 0 || yes + no === 0) return "open";
      return no === 0 ? "met" : yes === 0 ? "missed" : "open";
    }
    const least = Number(rule.slice("at least ".length));
    return yes >= least ? "met" : yes + undecided < least ? "missed" : "open";
  }

  function lean(rule, counts) {
    const { yes, no, open } = counts;
    if ((rule === "each" || rule === "a third may contradict") && no === 0 && yes > open) return "met";
    if (rule === "each" && yes === 0 && no > open) return "missed";
    const tested = { ...counts, untested: 0 };
    return join(rule === WITHOUT_LAST && counts.last === "untested" ? "all" : rule, tested);
  }

  // What of the answer stands, and why if it does not.
  function trusted(rates, joined) {
    if (!rates || joined === "open") return [joined, ""];
    const [claimed, absent] = rates;
    const share = (counts, ...which) =>
      which.reduce((sum, i) => sum + counts[i], 0) / counts.reduce((sum, one) => sum + one, 0);
    const percent = (share) => `${Math.round(100 * share)}%`;
    if (share(absent, 0) > VACUOUS) {
      return ["open", `vacuous here: ${percent(share(absent, 0))} of simulations without the effect meet the criterion`];
    }
    const missed = share(claimed, 1, 2);
    if (joined !== "met" && share(claimed, 0) < POWER && missed > MISSED) {
      return ["open", `too little evidence: of simulations with the paper's effect ${percent(share(claimed, 0))} ` +
        `meet the criterion, ${percent(missed)} miss it`];
    }
    return [joined, ""];
  }

  const AT_SIZE = { met: "replicated", "in part": "partly", missed: "contradicted", open: "inconclusive" };
  const BELOW = { met: "points the paper's way", missed: "points the other way" };

  // The verdict, the answers, and why an answer does not stand.
  function judge(grounds, change = NONE) {
    const findings = grounds.findings.map((found) => varied(found, change));
    const answers = findings.map(answer);
    const pairs = findings.map((of, i) => [of, answers[i]]);
    const tested = ([, one]) => one !== "untested";
    const own = pairs.filter(([of]) => of.in_paper);
    const anyOwn = own.some(tested);
    const deciding = anyOwn ? own : pairs.filter(tested);
    let verdict = "not testable";
    let why = "";
    if (deciding.length > 0) {
      const scaledDown = grounds.scaled_down && !change.whole;
      let joined = join(grounds.rule, tally(deciding.map(([of, one]) => (of.scaled_down ? "untested" : one))));
      const mixed = deciding.some(([of]) => of.scaled_down);
      const whole = anyOwn && !scaledDown && (!mixed || joined !== "open");
      if (!whole) joined = lean(grounds.rule, tally(deciding.map(([, one]) => one)));
      [joined, why] = trusted(grounds.rates, joined);
      verdict = whole ? AT_SIZE[joined] : BELOW[joined] || "cannot tell";
    }
    const direction = verdict === "cannot tell" || verdict.startsWith("points");
    if (grounds.flips && !direction) [verdict, why] = ["inconclusive", "root seeds give different verdicts"];
    return { verdict, answers, why };
  }

  window.retune = { judge };
  if (typeof document === "undefined") return;

  const looks = new Map();
  for (const [word, sign, kind] of JSON.parse(document.getElementById("verdicts")?.textContent || "[]")) {
    looks.set(word, { sign, kind });
  }
  const make = (tag, properties = {}, ...children) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...children);
    return one;
  };
  const short = (value) => String(Number(value.toPrecision(4)));

  function explore(section) {
    const { runs } = JSON.parse(section.querySelector("script[type='application/json']").textContent);
    const choice = make("select");
    runs.forEach(({ run, rules }, i) => choice.append(new Option(`${run}; ${rules}`, i)));
    const threshold = make("input", { type: "number", step: "any" });
    const named = make("span");
    const sample = make("select");
    const whole = make("input", { type: "checkbox" });
    const reset = make("button", { type: "button", textContent: "As it was judged" });
    const told = make("p", { className: "told" });
    told.setAttribute("aria-live", "polite");
    const line = (...children) => make("label", {}, ...children);
    const limit = line(named, threshold);
    const parts = make("div", { className: "knobs" },
      line("Run and variant ", choice), limit, line("Sample ", sample),
      line(whole, " as if of the paper's size"), reset);
    section.append(make("fieldset", { className: "controls" }, make("legend", { textContent: "Try other values" }), parts, told));

    let grounds = null;
    let start = 0;
    const show = () => {
      const kept = runs[choice.value];
      const shift = threshold.value === "" ? 0 : Number(threshold.value) - start;
      const change = { shift, factor: Number(sample.value) || 1, whole: whole.checked };
      const found = grounds ? judge(grounds, change) : { verdict: kept.verdict, answers: [], why: "" };
      const { sign, kind } = looks.get(found.verdict);
      const badge = make("span", { className: `verdict ${kind}` }, make("b", { textContent: sign }), ` ${found.verdict}`);
      const same = found.verdict === kept.verdict;
      const counts = Object.entries(tally(found.answers)).filter(([, n]) => n > 0);
      const words = counts.map(([one, n]) => `${n} ${one}`).join(", ");
      told.replaceChildren(badge, same ? " as it was judged." : ` instead of ${kept.verdict}.`,
        words ? ` Places: ${words}.` : " This run kept no thresholds: only its verdict is known.",
        found.why ? ` The reason: ${found.why}.` : "",
        grounds && grounds.rates && (shift !== 0 || change.factor !== 1)
          ? " The calibration is that of the criterion as written." : "");
      told.dataset.verdict = found.verdict;
    };
    const choose = () => {
      grounds = runs[choice.value].grounds;
      const ends = new Set();
      const sizes = new Set();
      for (const of of grounds ? grounds.findings : []) {
        if (!of.region || of.value === null) continue;
        of.region.filter((end) => end !== null).forEach((end) => ends.add(end));
        if (of.low !== null && of.low < of.high) sizes.add(of.n);
      }
      start = ends.size === 1 ? [...ends][0] : 0;
      named.textContent = ends.size > 1 ? "Move all thresholds by " : "Threshold ";
      threshold.value = ends.size ? String(start) : "";
      limit.hidden = threshold.disabled = ends.size === 0;
      sample.replaceChildren();
      for (const factor of sizes.size ? [0.25, 0.5, 1, 2, 4, 8, 16] : [1]) {
        const n = [...sizes].map((n) => Math.max(1, Math.round(n * factor)));
        const size = sizes.size === 1 ? `n = ${n[0]}` : `× ${factor}`;
        sample.append(new Option(factor === 1 ? `${size} (as it was)` : size, factor, factor === 1, factor === 1));
      }
      sample.disabled = sizes.size === 0;
      whole.checked = false;
      whole.disabled = !grounds || !(grounds.scaled_down || grounds.findings.some((of) => of.scaled_down));
      show();
    };
    for (const control of [threshold, sample, whole]) control.addEventListener("input", show);
    choice.addEventListener("input", choose);
    reset.addEventListener("click", choose);
    choose();
  }
  for (const section of document.querySelectorAll(".explorer")) explore(section);
})();
