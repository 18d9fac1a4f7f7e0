// What helps a reader and is not needed: the dark look by a button, a search on the first page, traces that
// move, and figures whose methods and data sets can be chosen. Without it everything is shown.
"use strict";

(() => {
  const root = document.documentElement;
  const kept = {
    get: () => { try { return localStorage.getItem("look"); } catch { return null; } },
    set: (look) => { try { localStorage.setItem("look", look); } catch { /* not kept, that is all */ } },
  };

  const look = document.getElementById("look");
  const dark = () => root.dataset.look
    ? root.dataset.look === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => { look.textContent = dark() ? "Light" : "Dark"; };
  const wanted = kept.get();
  if (wanted === "dark" || wanted === "light") root.dataset.look = wanted;
  look.addEventListener("click", () => {
    root.dataset.look = dark() ? "light" : "dark";
    kept.set(root.dataset.look);
    label();
  });
  label();
  look.hidden = false;

  for (const figure of document.querySelectorAll("[data-toggles]")) {
    for (const entry of figure.querySelectorAll(".series li")) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
      const label = document.createElement("label");
      label.append(box, ...entry.childNodes);
      entry.append(label);
      box.addEventListener("change", () => {
        for (const drawn of figure.querySelectorAll(`g[data-series="${entry.dataset.series}"]`)) {
          drawn.style.display = box.checked ? "" : "none";
        }
      });
    }
    const panels = [...figure.querySelectorAll("svg[data-panel]")];
    if (panels.length < 2) continue;
    const choice = document.createElement("select");
    choice.append(new Option("all", ""), ...panels.map((panel) => new Option(panel.dataset.panel)));
    const line = document.createElement("label");
    line.append("Data set: ", choice);
    const controls = Object.assign(document.createElement("p"), { className: "controls" });
    controls.append(line);
    figure.prepend(controls);
    choice.addEventListener("change", () => {
      for (const panel of panels) {
        panel.style.display = choice.value === "" || panel.dataset.panel === choice.value ? "" : "none";
      }
    });
  }

  // Traces: all steps at first, and on request one after another. Who wants less motion moves by hand.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  for (const figure of document.querySelectorAll("[data-moves]")) {
    const steps = [...figure.querySelectorAll("[data-step]")];
    const last = Math.max(0, ...steps.map((one) => Number(one.dataset.step)));
    const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: last, value: last });
    const play = Object.assign(document.createElement("button"), { type: "button", textContent: "Play" });
    const told = document.createElement("output");
    const line = document.createElement("label");
    line.append("Step ", slider, " ", told);
    const controls = Object.assign(document.createElement("p"), { className: "controls" });
    controls.append(play, " ", line);
    figure.prepend(controls);
    let timer = null;
    const show = () => {
      for (const one of steps) one.style.display = Number(one.dataset.step) <= Number(slider.value) ? "" : "none";
      told.textContent = `${slider.value} of ${last}`;
    };
    const pause = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
    const motion = () => { pause(); play.hidden = still.matches; };
    play.addEventListener("click", () => {
      if (timer) { pause(); return; }
      if (Number(slider.value) >= last) slider.value = 0;
      play.textContent = "Pause";
      show();
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        show();
        if (Number(slider.value) >= last) pause();
      }, 250);
    });
    slider.addEventListener("input", () => { pause(); show(); });
    still.addEventListener("change", motion);
    motion();
    show();
  }

  // The search of the first page: every word must be in an entry.
  const find = document.getElementById("find");
  if (find && window.searched) {
    const found = document.getElementById("found");
    const most = 40;
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      const hits = words.length
        ? window.searched.filter(([kind, text]) => words.every((word) => `${kind} ${text}`.toLowerCase().includes(word)))
        : [];
      found.replaceChildren(...hits.slice(0, most).map(([kind, text, href]) => {
        const entry = document.createElement("li");
        const link = Object.assign(document.createElement("a"), { href, textContent: text });
        entry.append(Object.assign(document.createElement("small"), { textContent: `${kind} ` }), link);
        return entry;
      }));
      if (hits.length > most) {
        found.append(Object.assign(document.createElement("li"), { textContent: `and ${hits.length - most} more` }));
      } else if (words.length && !hits.length) {
        found.append(Object.assign(document.createElement("li"), { textContent: "nothing found" }));
      }
      found.hidden = !words.length;
    });
    find.closest(".search").hidden = false;
  }

  // A box is a stop for the keyboard only where it scrolls.
  const boxes = document.querySelectorAll(".wide[tabindex], .output[tabindex]");
  const sized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of boxes) sized.observe(box);

  // A link into a folded part opens it.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
