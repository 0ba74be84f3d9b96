// Charts over time: lines with the dash and marker of their sender, and marks of window changes.
"use strict";

const Charts = (() => {
  // Outlines of markers, of size 1 round the middle, by matplotlib's names.
  const SHAPES = {
    o: "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
    s: "M-.9,-.9H.9V.9H-.9Z",
    D: "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    d: "M0,-1.3L.75,0L0,1.3L-.75,0Z",
    "^": "M0,-1.1L1.1,.9H-1.1Z",
    v: "M0,1.1L1.1,-.9H-1.1Z",
    "<": "M-1.1,0L.9,1.1V-1.1Z",
    ">": "M1.1,0L-.9,1.1V-1.1Z",
    P: "M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    X: "M0,-.55L.65,-1.2L1.2,-.65L.55,0L1.2,.65L.65,1.2L0,.55L-.65,1.2L-1.2,.65L-.55,0L-1.2,-.65L-.65,-1.2Z",
    "*": "M0,-1.3L.33,-.4H1.25L.52,.16L.78,1.05L0,.52L-.78,1.05L-.52,.16L-1.25,-.4H-.33Z",
    p: "M0,-1.15L1.1,-.35L.68,.93H-.68L-1.1,-.35Z",
    h: "M0,-1.15L1,-.58V.58L0,1.15L-1,.58V-.58Z",
    H: "M-.58,-1H.58L1.15,0L.58,1H-.58L-1.15,0Z",
    8: "M-.45,-1.1H.45L1.1,-.45V.45L.45,1.1H-.45L-1.1,.45V-.45Z",
  };
  // Colours that would be hard to see on a dark ground, and what stands for them there.
  const ON_DARK = { "#000000": "#f2f2f2", "#555555": "#b5b5b5", "#0072B2": "#5aaee8", "#009E73": "#23c197" };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;

  const isDark = () => dark.matches && !printing;
  const colour = (hex) => (isDark() && ON_DARK[hex]) || hex;
  const fromPage = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const paths = {};
  const outline = (marker) => (paths[marker] ??= new Path2D(SHAPES[marker] || SHAPES.o));
  // Where there are more senders than shapes, a mark is a number: $12$.
  const numberOf = (marker) => (/^\$(\d+)\$$/.exec(marker) || [])[1];

  function drawMark(ctx, marker, x, y, size, look, ground) {
    ctx.save();
    ctx.translate(x, y);
    ctx.scale(size, size);
    ctx.lineWidth = (1.2 * devicePixelRatio) / size;
    ctx.strokeStyle = colour(look.colour);
    const number = numberOf(marker);
    if (number) {
      ctx.fillStyle = ctx.strokeStyle;
      ctx.font = "bold 2.4px sans-serif";
      [ctx.textAlign, ctx.textBaseline] = ["center", "middle"];
      ctx.fillText(number, 0, 0);
      ctx.restore();
      return;
    }
    ctx.fillStyle = look.fill === "full" ? ctx.strokeStyle : ground;
    ctx.fill(outline(marker));
    if (look.fill === "left") {
      ctx.save();
      ctx.beginPath();
      ctx.rect(-2, -2, 2, 4);
      ctx.clip();
      ctx.fillStyle = ctx.strokeStyle;
      ctx.fill(outline(marker));
      ctx.restore();
    }
    ctx.stroke(outline(marker));
    ctx.restore();
  }

  const SVG = "http://www.w3.org/2000/svg";
  function svg(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  }

  function svgMark(marker, attributes, parent) {
    const number = numberOf(marker);
    if (!number) return svg("path", { d: SHAPES[marker] || SHAPES.o, ...attributes }, parent);
    const centred = { "text-anchor": "middle", "dominant-baseline": "central", "font-size": 2.4, "font-weight": "bold" };
    const made = svg("text", { ...attributes, ...centred, stroke: "none", fill: attributes.stroke || attributes.fill }, parent);
    made.textContent = number;
    return made;
  }

  // A piece of a sender's line, for lists.
  function lineSwatch(look) {
    const made = svg("svg", { class: "swatch", viewBox: "0 0 34 16", "aria-hidden": "true" });
    const ink = colour(look.colour);
    const dash = look.dash ? look.dash.map((one) => one * 2).join(" ") : "none";
    svg("line", { x1: 0, y1: 8, x2: 34, y2: 8, stroke: ink, "stroke-width": 2, "stroke-dasharray": dash }, made);
    svgMark(look.marker, { transform: "translate(17 8) scale(4.5)", fill: ink }, made);
    return made;
  }

  // A mark as it stands in the chart, for the legend.
  function markSwatch(marker, look) {
    const made = svg("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" });
    const ink = colour(look.colour),
      transform = "translate(8 8) scale(5)";
    const stroke = { stroke: ink, "stroke-width": 0.3 };
    svgMark(marker, { transform, fill: look.fill === "full" ? ink : "var(--ground)", ...stroke }, made);
    if (look.fill === "left") svgMark(marker, { transform, fill: ink, style: "clip-path: inset(0 50% 0 0)" }, made);
    return made;
  }

  const FONT = '12px system-ui, "DejaVu Sans", sans-serif';
  const axis = () => ({
    stroke: fromPage("--text"),
    font: FONT,
    grid: { stroke: fromPage("--grid"), width: 1 },
    ticks: { stroke: fromPage("--line"), width: 1, size: 5 },
  });

  // Markers on the lines, a few for each, not above each other.
  function drawMarkers(u, lines) {
    lines.forEach((line, at) => {
      const values = u.data[at + 1],
        count = values.length,
        step = Math.max(1, Math.round(count / 7));
      const look = { colour: line.colour, fill: "full" };
      for (let i = Math.round((step * (at + 1)) / (lines.length + 1)); i < count; i += step) {
        if (values[i] == null) continue;
        const x = u.valToPos(u.data[0][i], "x", true),
          y = u.valToPos(values[i], "y", true);
        drawMark(u.ctx, line.marker, x, y, 4 * devicePixelRatio, look, "transparent");
      }
    });
  }

  // `guide` is a value in steps: since when, and what it is from then on.
  function drawGuide(u, guide, bottom, top) {
    const ctx = u.ctx;
    ctx.save();
    ctx.strokeStyle = fromPage("--soft");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    guide.forEach(([since, value], at) => {
      const y = u.valToPos(Math.max(Math.min(value, top), bottom), "y", true),
        next = at + 1 < guide.length ? u.valToPos(guide[at + 1][0], "x", true) : u.bbox.left + u.bbox.width;
      at === 0 ? ctx.moveTo(u.bbox.left, y) : ctx.lineTo(u.valToPos(since, "x", true), y);
      ctx.lineTo(next, y);
    });
    ctx.stroke();
    ctx.restore();
  }

  // 1, 2 and 5 of each decade, less of many decades. uPlot's own rule does not end where it has no least value yet.
  function decades(u, axisIndex, least, most) {
    if (!(least > 0)) return [];
    const found = [],
      last = Math.floor(Math.log10(most)),
      start = Math.floor(Math.log10(least));
    for (let power = start; power <= last; power += 1) {
      for (const number of last - start > 3 ? [1] : [1, 2, 5]) {
        const value = Number(`${number}e${power}`);
        if (value >= least && value <= most) found.push(value);
      }
    }
    return found;
  }
  const LOG_AXIS = {
    splits: decades,
    filter: (u, ticks) => ticks,
    values: (u, ticks) => ticks.map((one) => (one === null ? "" : one.toLocaleString("en"))),
  };

  // A chart of steps: `lines` have values at `times`. There may be marks of window changes, and a dotted line of `guide`.
  // With `log` the axis is logarithmic, from the least value above zero.
  function make(place, { times, lines, marks = [], guide = null, log = false, describe }) {
    place.replaceChildren();
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", describe);
    const values = lines.flatMap((line) => line.values).concat(marks.map((mark) => mark.value));
    const highest = values.reduce((best, value) => Math.max(best, value ?? 0), 1e-6);
    const guided = (guide || []).map(([, value]) => value).filter((value) => value > 0);
    const [lowGuide, highGuide] = [Math.min(...guided), Math.max(0, ...guided)];
    const top = 1.08 * Math.max(highest, highGuide < 2 * highest ? highGuide : 0);
    const above = values.filter((one) => one > 0);
    const least = above.length ? Math.max(above.reduce((a, b) => Math.min(a, b)), 1e-4 * top) : 1e-3 * top;
    const bottom = log ? 0.9 * least : 0;
    const shownGuide = lowGuide <= top && highGuide > (log ? bottom : 0.03 * top) ? guide : null;
    let until = Infinity;
    const steps = uPlot.paths.stepped({ align: 1 });
    const options = {
      width: place.clientWidth,
      height: place.clientHeight,
      legend: { show: false },
      cursor: { sync: { key: "runs" }, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [0, times[times.length - 1]] }, y: { distr: log ? 3 : 1, range: [bottom, top] } },
      axes: [
        { ...axis(), size: 30, values: (u, ticks) => ticks.map((one) => `${one} s`) },
        { ...axis(), size: 52, ...(log ? LOG_AXIS : {}) },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          stroke: colour(line.colour),
          width: 1.6,
          paths: steps,
          points: { show: false },
          dash: line.dash ? line.dash.map((one) => one * 1.7) : undefined,
          spanGaps: false,
        })),
      ],
      hooks: {
        draw: [
          (u) => {
            const ground = fromPage("--ground");
            if (shownGuide) drawGuide(u, shownGuide, bottom, top);
            drawMarkers(u, lines);
            for (const mark of marks) {
              if (mark.time > until) continue;
              const x = u.valToPos(mark.time, "x", true),
                y = u.valToPos(Math.max(Math.min(mark.value, top), bottom), "y", true);
              drawMark(u.ctx, mark.marker, x, y, mark.size * devicePixelRatio, mark.look, ground);
            }
          },
        ],
      },
    };
    const onAxis = (value) => (log && value !== null && value < bottom ? bottom : value);
    const cut = (last) => [times, ...lines.map((line) => line.values.map((v, i) => (i <= last ? onAxis(v) : null)))];
    const chart = new uPlot(options, cut(Infinity), place);
    return {
      // Draw what had happened by then, seconds.
      show(time) {
        until = time;
        let last = times.length - 1;
        while (last > 0 && times[last] > time) last -= 1;
        chart.setData(cut(last), false);
        chart.redraw(false, false);
      },
      resize: () => chart.setSize({ width: place.clientWidth, height: place.clientHeight }),
      destroy: () => chart.destroy(),
      lines: () => lines.length,
      // How far up the axis a value lies, as a share of it.
      height: (value) => 1 - chart.valToPos(value, "y") / chart.over.clientHeight,
      hasGuide: shownGuide !== null,
    };
  }

  return {
    make,
    lineSwatch,
    markSwatch,
    dark,
    setPrinting(on) {
      printing = on;
      document.documentElement.classList.toggle("print", on);
    },
  };
})();
