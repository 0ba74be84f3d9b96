// What the page shows of runs: charts, legends, numbers, and playing them.
"use strict";

const config = JSON.parse(document.getElementById("config").textContent);
const at = (id) => document.getElementById(id);
const kept = Boolean(config.parts);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 56rem)");
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

// Text with what is between backticks as code.
const coded = (text) => text.split("`").map((part, number) => (number % 2 ? made("code", {}, part) : part));

const digits = (value) => (value === 0 ? "0" : Number(value.toPrecision(3)).toString());

// ---- what is drawn -------------------------------------------------------------------------------------------------

let shown = { plan: null, senders: [], end: null };
let charts = [];
const hidden = new Set(); // senders whose lines are not drawn
let logarithmic = null; // as the reader has it; until then as the windows need it

// The network from left to right, or from top to bottom where that would not fit.
function drawNetwork() {
  const text = narrow.matches ? shown.plan.upright : shown.plan.drawing;
  const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  at("topology").replaceChildren(document.importNode(drawing, true));
}

// Whether the windows of two senders are so far apart that one would lie on the axis: more than twenty times.
function farApart(lines) {
  const middles = lines.map((line) => {
    const values = line.values.filter((one) => one !== null).sort((a, b) => a - b);
    return values.length ? values[Math.floor(values.length / 2)] : null;
  });
  const known = middles.filter((one) => one > 0);
  return known.length > 1 && Math.max(...known) > 20 * Math.min(...known);
}

function headed(title, unit, where) {
  return `${title}${where ? ` ${where}` : ""} (${unit})`;
}

function dot(name, text) {
  at(`${name}-title`).append(made("span", { class: "small" }, ` dotted: ${text}`));
}

function describeRuns(what) {
  const names = shown.senders.map((one) => one.title).join(", ");
  return `${what} over time of ${names}. The numbers are in the table below.`;
}

function drawCharts() {
  charts.forEach((one) => one.destroy());
  const { plan } = shown;
  const senders = shown.senders.filter((one) => !hidden.has(one.sender));
  const line = (one, values) => ({ ...lookOf(one.sender), values });
  const windows = senders.filter((one) => one.window);
  const drawn = [...new Set(windows.map((one) => one.drawn))];
  const alone = shown.senders.every((sender) => sender.flows === 1);
  const one = alone ? "" : drawn.length === 1 ? `of flow ${drawn[0]}` : "of one flow each";
  at("window-title").textContent = headed("Congestion window", "segments", windows.length ? one : "");
  at("rate-title").textContent = headed(
    alone ? "Arriving payload" : "Arriving payload of all flows of a sender",
    "Mbit/s",
  );
  const queues = senders.filter((sender) => sender.queue);
  const places = [...new Set(queues.map((sender) => sender.queue.place))];
  const where = places.length === 1 ? `at ${places[0]}` : "where it is longest";
  at("queue-title").textContent = headed("Queue", "packets", plan.together ? `${where}, of all together` : where);
  const crowded = windows.reduce((sum, sender) => sum + sender.marks.length, 0) > 250 ? 0.65 : 1;
  const marks = windows.flatMap((sender) =>
    sender.marks.map(([time, value, kind, cause]) => ({
      time,
      value,
      marker: config.events[kind].marker,
      look: config.causes[cause],
      size: (kind === "same-window" ? 3 : 4.6) * crowded,
    })),
  );
  const bdp = plan.bdp && alone && !plan.together;
  const guides = { window: bdp ? plan.bdp : null, rate: plan.capacity_mbps };
  const queueLine = (sender) =>
    plan.together ? { ...FILE_LOOK, values: sender.queue.values } : line(sender, sender.queue.values);
  const log = logarithmic ?? farApart(windows.map((sender) => line(sender, sender.window)));
  at("log").checked = log;
  charts = [
    [
      at("window"),
      {
        times: plan.times,
        lines: windows.map((sender) => line(sender, sender.window)),
        marks,
        guide: guides.window,
        log,
        describe: describeRuns("Congestion window, with a mark for each change,"),
      },
    ],
    [
      at("rate"),
      {
        times: plan.bins,
        lines: senders.map((sender) => line(sender, sender.rate)),
        guide: guides.rate,
        log,
        describe: describeRuns("Rate"),
      },
    ],
    [at("queue"), { times: plan.times, lines: queues.map(queueLine), describe: describeRuns("Queue") }],
  ].map(([place, what]) => Charts.make(place, what));
  const range = (steps) => {
    const values = (steps || []).map(([, value]) => value).filter((value) => value > 0);
    return [...new Set([Math.min(...values), Math.max(...values)].map(digits))].join(" to ");
  };
  const dotted = [
    `BDP, what the path holds without a queue: ${range(plan.bdp)}`,
    `what the links carry: ${range(plan.capacity_mbps)}`,
  ];
  ["window", "rate"].forEach((name, number) => {
    if (charts[number].hasGuide) dot(name, dotted[number]);
  });
  drawMarksLegend(windows);
  drawLegend();
  drawAt();
}

function drawMarksLegend(windows) {
  const kinds = new Set(),
    causes = new Set();
  for (const [, , kind, cause] of windows.flatMap((sender) => sender.marks)) {
    kinds.add(kind);
    causes.add(cause);
  }
  const plain = { colour: "#555555", fill: "full" };
  const rows = [];
  for (const kind of kinds)
    rows.push([Charts.markSwatch(config.events[kind].marker, plain), config.events[kind].label]);
  for (const cause of causes) {
    const look = config.causes[cause];
    rows.push([
      Charts.markSwatch("s", look),
      `cause: ${look.label}${look.congestion ? ", congestion" : ", no congestion"}`,
    ]);
  }
  at("marks").replaceChildren(...rows.map(([swatch, text]) => made("li", {}, swatch, made("span", {}, text))));
}

function drawLegend() {
  at("legend").replaceChildren(
    ...shown.senders.map((sender) => {
      const shows = { type: "button", "aria-pressed": String(!hidden.has(sender.sender)) };
      const button = made("button", shows, Charts.lineSwatch(lookOf(sender.sender)), made("b", {}, sender.title));
      button.addEventListener("click", () => {
        if (!hidden.delete(sender.sender)) hidden.add(sender.sender);
        drawCharts();
        at("legend").children[shown.senders.indexOf(sender)].firstChild.focus();
      });
      return made("li", {}, button, made("span"));
    }),
  );
}

function countCuts(sender, time) {
  let cuts = 0,
    needless = 0;
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
  const heads = [
    "sender",
    "delivered, Mbit/s",
    "mean RTT, ms",
    "cuts",
    ...causes.map((cause) => `cuts: ${config.causes[cause].label}`),
    "timeouts",
    "retransmitted",
    "mean queue, packets",
  ];
  const rows = shown.senders.map((one) => {
    const n = one.numbers,
      queue = one.queue || (shown.plan.together && shown.senders[0].queue);
    return [
      one.title,
      digits(n.goodput_bps / 1e6),
      n.srtt_s === null ? "-" : digits(n.srtt_s * 1e3),
      n.cuts,
      ...causes.map((cause) => n.causes[cause] || 0),
      n.timeouts,
      n.retransmitted,
      queue ? digits(queue.mean) : "-",
    ];
  });
  const head = made("thead", {}, made("tr", {}, ...heads.map((text) => made("th", { scope: "col" }, text))));
  const body = made(
    "tbody",
    {},
    ...rows.map(([first, ...rest]) =>
      made(
        "tr",
        {},
        made("th", { scope: "row" }, first),
        ...rest.map((text, column) => made("td", { "data-head": heads[column + 1] }, String(text))),
      ),
    ),
  );
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
  player.last = null; // the first frame begins the count: its time may lie before now
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
