// The page: its controls, and runs from the server or from the page itself.
"use strict";

const client = kept
  ? ""
  : Array.from(crypto.getRandomValues(new Uint32Array(3)), (one) => one.toString(36)).join("-");

// ---- runs ----------------------------------------------------------------------------------------------------------

let first = true;

function take(message) {
  if (message.kind === "plan") {
    shown = { plan: message, senders: [], end: null };
    at("toml").textContent = message.toml;
    drawNetwork();
    const moved = message.moved.length ? `Not as in the file: ${message.moved.join("; ")}.` : config.about;
    at("about").replaceChildren(...coded(moved));
  } else if (message.kind === "sender") {
    shown.senders.push(message);
    if (first) playAtFirst();
    first = false;
    drawCharts();
  } else if (message.kind === "end") {
    shown.end = message;
    drawTable();
    at("words").replaceChildren(...message.words.map((text) => made("p", {}, text)));
    at("cautions").replaceChildren(...message.cautions.map((text) => made("li", {}, "Caution: ", ...coded(text))));
    fail(null);
  } else if (message.kind === "error" || message.why === "late") {
    fail(message.text);
  }
}

function fail(text) {
  at("error").hidden = text === null;
  at("error").textContent = text || "";
  for (const id of ["words", "window", "rate", "queue", "numbers"]) at(id).classList.toggle("stale", text !== null);
}

let waiting = null;
let going = null;

// Ask the server for what the controls say, and stop what it still runs for us.
async function ask() {
  if (going) going.abort();
  const own = (going = new AbortController());
  try {
    const reply = await fetch("/run", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(wanted()),
      signal: own.signal,
    });
    if (!reply.ok) throw new Error(await reply.text());
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) if (own === going) take(JSON.parse(line));
    }
  } catch (error) {
    if (own === going) fail(`${error.message || error}\nhint: see whether \`windlass serve\` still runs`);
  }
}

function moved() {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 60);
}

// ---- controls ------------------------------------------------------------------------------------------------------

const knobs = new Map(); // key: { get, set }

function wanted() {
  const values = {};
  for (const [key, knob] of knobs) values[key] = knob.get();
  return {
    base: config.base,
    client,
    together: at("beside").checked,
    group: at("group").value,
    seed: Number(at("seed").value),
    senders: [...document.querySelectorAll("#senders input[type=checkbox]:checked")].map((one) => one.value),
    moved: values,
  };
}

// Values that a slider stops at: some for each power of ten, its ends, and what the file has.
function stops(control) {
  const found = new Set([control.low, control.high, control.value]);
  for (let power = -6; power < 7; power += 1) {
    for (const number of [1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9]) {
      const value = Number((number * 10 ** power).toPrecision(6));
      if (value > control.low && value < control.high && !(control.whole && value % 1)) found.add(value);
    }
  }
  if (control.zero) found.add(0);
  return [...found].sort((a, b) => a - b);
}

function slider(control, name) {
  const values = stops(control),
    id = `knob-${name}`;
  const nearest = (value) =>
    values.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(values[best] - value) ? i : best), 0);
  const box = made("input", {
    type: "number",
    id: `${id}-box`,
    step: "any",
    min: String(control.zero ? 0 : control.low),
    max: String(control.high),
    "aria-label": `${control.place}: ${control.label}, ${control.unit}`,
  });
  const range = made("input", { type: "range", id, min: "0", max: String(values.length - 1), step: "1" });
  const tell = (value) => range.setAttribute("aria-valuetext", `${value} ${control.unit}`);
  const set = (value) => {
    box.value = value;
    range.value = nearest(value);
    tell(value);
  };
  range.addEventListener("input", () => {
    box.value = values[range.value];
    tell(box.value);
    moved();
  });
  box.addEventListener("input", () => {
    if (box.value === "") return;
    range.value = nearest(Number(box.value));
    tell(box.value);
    moved();
  });
  knobs.set(control.key, { get: () => (box.value === "" ? control.value : Number(box.value)), set, control });
  return made(
    "div",
    { class: "knob" },
    made("label", { for: id }, control.label),
    box,
    made("span", { class: "unit" }, control.unit),
    range,
  );
}

function choice(control, name) {
  const id = `knob-${name}`;
  const select = made(
    "select",
    { id },
    ...control.values.map((text, i) => made("option", { value: String(i) }, text)),
  );
  select.addEventListener("change", moved);
  knobs.set(control.key, {
    get: () => Number(select.value),
    set: (i) => {
      select.value = String(i);
    },
    control,
  });
  return made("div", { class: "knob choice" }, made("label", { for: id }, control.label), select);
}

function buildKnobs() {
  const places = new Map();
  config.controls.forEach((control, number) => {
    const holder = control.aside ? "knobs-aside" : "knobs";
    const key = `${holder} ${control.place}`;
    if (!places.has(key)) {
      const fieldset = made("fieldset", {}, made("legend", {}, control.place));
      at(holder).append(fieldset);
      places.set(key, fieldset);
    }
    places.get(key).append(control.values ? choice(control, number) : slider(control, number));
    if (control.aside) at("aside").hidden = false;
  });
}

function buildSenders() {
  for (const sender of config.senders) {
    const box = made("input", { type: "checkbox", value: sender.name, id: `sender-${sender.name}` });
    box.addEventListener("change", moved);
    const label = made(
      "label",
      { class: "tick", title: sender.summary.replaceAll("`", "") },
      box,
      Charts.lineSwatch(sender),
      made("span", {}, sender.title),
    );
    at(sender.first ? "sender-list" : "sender-rest").append(label);
  }
  if (!config.groups.length) {
    at("senders").replaceChildren(made("p", {}, "No flow of this scenario has a sender to choose."));
    at("meeting").hidden = true;
  }
  at("sender-filter")?.addEventListener("input", () => {
    const word = at("sender-filter").value.toLowerCase();
    for (const label of at("sender-rest").children) {
      label.hidden = !`${label.textContent} ${label.title}`.toLowerCase().includes(word);
    }
  });
}

function setAll(state) {
  for (const box of document.querySelectorAll("#senders input[type=checkbox]"))
    box.checked = state.senders.includes(box.value);
  at(state.together ? "beside" : "alone").checked = true;
  at("group").value = state.group;
  at("seed").value = state.seed;
  for (const [key, knob] of knobs) knob.set(key in state.moved ? state.moved[key] : knob.control.value);
}

// In a narrow window the results come first, and the settings open above them.
function fold() {
  const follow = () => (at("settings").open = !narrow.matches);
  narrow.addEventListener("change", follow);
  follow();
}

function begin() {
  fold();
  buildSenders();
  buildKnobs();
  setAll(config.begin);
  for (const id of ["alone", "beside", "group"]) at(id).addEventListener("change", moved);
  at("seed").addEventListener("input", moved);
  at("controls").addEventListener("submit", (event) => event.preventDefault());
  at("reset").addEventListener("click", () => {
    setAll(config.begin);
    moved();
  });
  at("keep").addEventListener("click", keep);
  ask();
}

// ---- to take along -------------------------------------------------------------------------------------------------

function save(name, text, kind) {
  const link = made("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  at("told").textContent = `saved as ${name}`;
}

async function keep() {
  const reply = await fetch("/keep", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(wanted()),
  });
  const text = await reply.text();
  if (reply.ok) save(shown.plan.name.replace(/\.toml$/, ".html"), text, "text/html");
  else fail(text);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(at("toml").textContent);
    at("told").textContent = "copied";
  } catch {
    getSelection().selectAllChildren(at("toml"));
    at("told").textContent = "selected: copy it with the keyboard";
  }
}

at("copy").addEventListener("click", copy);
at("save").addEventListener("click", () => save(shown.plan.name, at("toml").textContent, "application/toml"));
at("log").addEventListener("change", () => {
  logarithmic = at("log").checked;
  if (shown.senders.length) drawCharts();
});
narrow.addEventListener("change", () => shown.plan && drawNetwork());
addEventListener("resize", () => charts.forEach((one) => one.resize()));
Charts.dark.addEventListener("change", () => shown.senders.length && drawCharts());
addEventListener("beforeprint", () => {
  Charts.setPrinting(true);
  if (shown.senders.length) drawCharts();
});
addEventListener("afterprint", () => {
  Charts.setPrinting(false);
  if (shown.senders.length) drawCharts();
});

if (kept) config.parts.forEach(take);
else begin();
