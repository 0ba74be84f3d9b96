// The page: controls, runs from the server or from the page itself, and playing them.
"use strict";

const config = JSON.parse(document.getElementById("config").textContent);
const at = (id) => document.getElementById(id);
const kept = Boolean(config.parts);
const client = kept ? "" : Array.from(crypto.getRandomValues(new Uint32Array(3)), (one) => one.toString(36)).join("-");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const senderLooks = Object.fromEntries(config.senders.map((one) => [one.name, one]));
const FILE_LOOK = { title: "as in the file", colour: "#0072B2", marker: "o", dash: null };
const lookOf = (name) => senderLooks[name] || FILE_LOOK;

function made(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...inside);
  return element;
}

const digits = (value) => (value === 0 ? "0" : Number(value.toPrecision(3)).toString());

// ---- what is drawn -------------------------------------------------------------------------------------------------

let shown = { plan: null, senders: [], end: null };
let charts = [];

function headed(title, unit, where) {
  return `${title}${where ? ` ${where}` : ""} (${unit})`;
}

function describeRuns(what) {
  return `${what} over time of ${shown.senders.map((one) => one.title).join(", ")}. The numbers are in the table below.`;
}

function drawCharts() {
  charts.forEach((one) => one.destroy());
  const { plan, senders } = shown;
  const line = (one, values) => ({ ...lookOf(one.sender), values });
  const windows = senders.filter((one) => one.window);
  const drawn = [...new Set(windows.map((one) => one.drawn))];
  const alone = senders.every((sender) => sender.flows === 1);
  const one = alone ? "" : drawn.length === 1 ? `of flow ${drawn[0]}` : "of one flow each";
  at("window-title").textContent = headed("Congestion window", "segments", windows.length ? one : "");
  at("rate-title").textContent = headed(alone ? "Arriving payload" : "Arriving payload of all flows of a sender", "Mbit/s");
  const queues = senders.filter((sender) => sender.queue);
  const places = [...new Set(queues.map((sender) => sender.queue.place))];
  const where = places.length === 1 ? `at ${places[0]}` : "where it is longest";
  at("queue-title").textContent = headed("Queue", "packets", plan.together ? `${where}, of all together` : where);
  const marks = windows.flatMap((sender) => sender.marks.map(([time, value, kind, cause]) => (
    { time, value, marker: config.events[kind].marker, look: config.causes[cause] })));
  const bdp = plan.bdp && alone && !plan.together;
  const guides = {
    window: bdp ? { value: plan.bdp, label: "what the path holds without a queue (BDP)" } : null,
    rate: plan.capacity_mbps ? { value: plan.capacity_mbps, label: "what the links carry" } : null,
  };
  const queueLine = (sender) => (plan.together ? { ...FILE_LOOK, values: sender.queue.values } : line(sender, sender.queue.values));
  charts = [
    [at("window"), { times: plan.times, lines: windows.map((sender) => line(sender, sender.window)), marks, guide: guides.window,
      describe: describeRuns("Congestion window, with a mark for each change,") }],
    [at("rate"), { times: plan.bins, lines: senders.map((sender) => line(sender, sender.rate)), guide: guides.rate, describe: describeRuns("Rate") }],
    [at("queue"), { times: plan.times, lines: queues.map(queueLine), describe: describeRuns("Queue") }],
  ].map(([place, what]) => Charts.make(place, what));
  drawMarksLegend(windows);
  drawLegend();
  drawAt();
}

function drawMarksLegend(windows) {
  const kinds = new Set(), causes = new Set();
  for (const [, , kind, cause] of windows.flatMap((sender) => sender.marks)) {
    kinds.add(kind);
    causes.add(cause);
  }
  const plain = { colour: "#555555", fill: "full" };
  const rows = [];
  for (const kind of kinds) rows.push([Charts.markSwatch(config.events[kind].marker, plain), config.events[kind].label]);
  for (const cause of causes) {
    const look = config.causes[cause];
    rows.push([Charts.markSwatch("s", look), `cause: ${look.label}${look.congestion ? ", congestion" : ", no congestion"}`]);
  }
  at("marks").replaceChildren(...rows.map(([swatch, text]) => made("li", {}, swatch, made("span", {}, text))));
}

function drawLegend() {
  at("legend").replaceChildren(...shown.senders.map((sender) => (
    made("li", {}, Charts.lineSwatch(lookOf(sender.sender)), made("b", {}, sender.title), made("span")))));
}

function countCuts(sender, time) {
  let cuts = 0, needless = 0;
  for (const [when, , kind, cause] of sender.marks) {
    if (when > time) break;
    if (!["dup-acks", "timeout", "mark"].includes(kind)) continue;
    cuts += 1;
    if (!config.causes[cause].congestion) needless += 1;
  }
  return [cuts, needless];
}

// What the legend says at the time that is played.
function tellNow(time) {
  const { plan, senders } = shown;
  const place = Math.min(plan.times.length - 1, Math.floor((time / plan.duration) * (plan.times.length - 1)));
  const bin = Math.min(plan.bins.length - 2, Math.floor((time / plan.duration) * (plan.bins.length - 1)));
  senders.forEach((sender, row) => {
    const [cuts, needless] = countCuts(sender, time);
    const window = sender.window ? sender.window[place] : null;
    const parts = [`${digits(sender.rate[bin])} Mbit/s`];
    if (window !== null) parts.push(`window ${Math.round(window)}`);
    if (sender.window) parts.push(`${cuts} ${cuts === 1 ? "cut" : "cuts"}, ${needless} not for congestion`);
    at("legend").children[row].lastChild.textContent = parts.join(" · ");
  });
}

function drawTable() {
  const causes = [...new Set(shown.senders.flatMap((one) => Object.keys(one.numbers.causes)))];
  const heads = ["sender", "delivered, Mbit/s", "mean RTT, ms", "cuts",
    ...causes.map((cause) => `cuts: ${config.causes[cause].label}`), "timeouts", "retransmitted", "mean queue, packets"];
  const rows = shown.senders.map((one) => {
    const n = one.numbers;
    return [one.title, digits(n.goodput_bps / 1e6), n.srtt_s === null ? "-" : digits(n.srtt_s * 1e3), n.cuts,
      ...causes.map((cause) => n.causes[cause] || 0), n.timeouts, n.retransmitted, one.queue ? digits(one.queue.mean) : "-"];
  });
  const head = made("thead", {}, made("tr", {}, ...heads.map((text) => made("th", { scope: "col" }, text))));
  const body = made("tbody", {}, ...rows.map(([first, ...rest]) => (
    made("tr", {}, made("th", { scope: "row" }, first), ...rest.map((text) => made("td", {}, String(text)))))));
  at("numbers").replaceChildren(head, body);
}

// ---- playing -------------------------------------------------------------------------------------------------------

const player = { time: Infinity, playing: false, last: null };

function drawAt() {
  const { plan } = shown;
  if (!plan || !charts.length) return;
  const time = Math.min(player.time, plan.duration);
  charts.forEach((one) => one.show(time));
  tellNow(time);
  const text = `${time.toFixed(1)} of ${digits(plan.duration)} s`;
  at("clock").textContent = text;
  at("time").value = Math.round((600 * time) / plan.duration);
  at("time").setAttribute("aria-valuetext", text);
}

function step(now) {
  if (!player.playing || !shown.plan) return;
  player.time += ((now - (player.last ?? now)) / 1000) * Number(at("speed").value);
  player.last = now;
  if (player.time >= shown.plan.duration) stop(Infinity);
  drawAt();
  if (player.playing) requestAnimationFrame(step);
}

function stop(time) {
  player.playing = false;
  player.time = time;
  at("play").textContent = "Play";
}

function play() {
  if (!shown.plan) return;
  if (player.time >= shown.plan.duration) player.time = 0;
  player.playing = true;
  player.last = null;  // the first frame begins the count: its time may lie before now
  at("play").textContent = "Pause";
  requestAnimationFrame(step);
}

function playAtFirst() {
  const speeds = [...at("speed").options].map((one) => Number(one.value));
  at("speed").value = String(speeds.find((one) => one >= shown.plan.duration / 8) || speeds[speeds.length - 1]);
  if (calm.matches || kept) return;
  player.time = 0;
  play();
}

at("play").addEventListener("click", () => {
  if (player.playing) stop(player.time);
  else play();
});
at("time").addEventListener("input", () => {
  if (!shown.plan) return;
  const share = Number(at("time").value) / 600;
  stop(share >= 1 ? Infinity : share * shown.plan.duration);
  drawAt();
});

// ---- runs ----------------------------------------------------------------------------------------------------------

let first = true;

function take(message) {
  if (message.kind === "plan") {
    shown = { plan: message, senders: [], end: null };
    at("toml").textContent = message.toml;
    const drawing = new DOMParser().parseFromString(message.drawing, "image/svg+xml").documentElement;
    at("topology").replaceChildren(document.importNode(drawing, true));
  } else if (message.kind === "sender") {
    shown.senders.push(message);
    if (first) playAtFirst();
    first = false;
    drawCharts();
  } else if (message.kind === "end") {
    shown.end = message;
    drawTable();
    at("words").replaceChildren(...message.words.map((text) => made("p", {}, text)));
    at("cautions").replaceChildren(...message.cautions.map((text) => made("li", {}, `Caution: ${text}`)));
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
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted()), signal: own.signal,
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

const knobs = new Map();  // key: { get, set }

function wanted() {
  const values = {};
  for (const [key, knob] of knobs) values[key] = knob.get();
  return {
    base: config.base, client, together: at("beside").checked, group: at("group").value, seed: Number(at("seed").value),
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
  const values = stops(control), id = `knob-${name}`;
  const nearest = (value) => values.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(values[best] - value) ? i : best), 0);
  const box = made("input", { type: "number", id: `${id}-box`, step: "any", min: String(control.zero ? 0 : control.low),
    max: String(control.high), "aria-label": `${control.place}: ${control.label}, ${control.unit}` });
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
  return made("div", { class: "knob" }, made("label", { for: id }, control.label), box, made("span", { class: "unit" }, control.unit), range);
}

function choice(control, name) {
  const id = `knob-${name}`;
  const select = made("select", { id }, ...control.values.map((text, i) => made("option", { value: String(i) }, text)));
  select.addEventListener("change", moved);
  knobs.set(control.key, { get: () => Number(select.value), set: (i) => { select.value = String(i); }, control });
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
    const label = made("label", { class: "tick", title: sender.summary }, box, Charts.lineSwatch(sender), made("span", {}, sender.title));
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
  for (const box of document.querySelectorAll("#senders input[type=checkbox]")) box.checked = state.senders.includes(box.value);
  at(state.together ? "beside" : "alone").checked = true;
  at("group").value = state.group;
  at("seed").value = state.seed;
  for (const [key, knob] of knobs) knob.set(key in state.moved ? state.moved[key] : knob.control.value);
}

function begin() {
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
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted()),
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
