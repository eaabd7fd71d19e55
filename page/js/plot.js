// Small charts as SVG: points, a line with its band, and what lies outside of what was measured hatched.
import {h} from './dom.js';

const PLOT_H = 300, PLOT_LEFT = 66, PLOT_RIGHT = 16, PLOT_TOP = 26, PLOT_BOTTOM = 42;
export const KINDS_OF_MARKS = 4;

// What is hatched is filled with it; it stands once in the page.
export function hatching() {
  return h('svg', {class: 'unseen', 'aria-hidden': 'true'}, h('defs', null,
    h('pattern', {id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
      h('line', {x1: 0, y1: 0, x2: 0, y2: 6, class: 'hatching'}))));
}

// A scale from values to pixels, and the values that are worth a tick.
function scaleOf(values, from, to, log, most = 6) {
  let low = Math.min(...values), high = Math.max(...values);
  if (!(low < high)) [low, high] = log ? [low / 1.5, high * 1.5] : [low - 1, high + 1];
  const f = log ? Math.log : (x) => x, span = f(high) - f(low);
  const a = f(low) - 0.03 * span, b = f(high) + 0.03 * span;  // room for the marks at the ends
  const at = (v) => from + (f(v) - a) / (b - a) * (to - from);
  const ticks = (log === 'time' ? timeTicks : log === 'sizes' ? sizeTicks : log ? logTicks : evenTicks)(low, high);
  const every = Math.ceil(ticks.length / (most + 1));  // no more of them than there is room for
  return {at, ticks: ticks.filter((_, i) => i % every === 0)};
}

// Powers of two, as batch sizes mostly are.
function sizeTicks(low, high) {
  const out = [];
  for (let e = Math.ceil(Math.log2(low) - 1e-9); 2 ** e <= high * 1.001; ++e) out.push(2 ** e);
  return out.length > 1 ? out : logTicks(low, high);
}

// Round seconds, minutes, hours and days.
function timeTicks(low, high) {
  const round = [[1, [1, 2, 3, 5, 10, 20, 30]], [60, [1, 2, 3, 5, 10, 20, 30]], [3600, [1, 2, 4, 8, 12]], [86400, [1, 2, 4, 7, 14, 28]]]
    .flatMap(([unit, counts]) => counts.map((n) => n * unit)).filter((v) => v >= low * 0.999 && v <= high * 1.001);
  if (low < 1 || round.length < 2) return logTicks(low, high);
  return round;
}

function logTicks(low, high) {
  const out = [];
  const few = high / low > 300 ? [1] : high / low > 20 ? [1, 3] : high / low > 3 ? [1, 2, 3, 5, 7] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8];
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high) + 1; ++e) {
    for (const m of few) {
      const v = m * 10 ** e;
      if (v >= low * 0.999 && v <= high * 1.001) out.push(v);
    }
  }
  return out;
}

function evenTicks(low, high) {
  const raw = (high - low) / 5, base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * base >= raw) * base, out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

// {label, x: {name, log, show}, y: {…}, points: [{x, y, kind, title}], line: [{x, y, lower, upper, outside}],
//  marks: [{x, text}], level: a value of y that is marked, joined: whether points of one kind are, diagonal}.
// `kind` 0, 1, 2… is a shape and a dash of its own, not only a colour.
export function plot({label, x, y, points = [], line = [], marks = [], level = null, joined = false, diagonal = false, zero = false}) {
  const xs = [...points.map((p) => p.x), ...line.map((p) => p.x)];
  const ys = [...points.map((p) => p.y), ...line.flatMap((p) => [p.y, p.lower ?? p.y, p.upper ?? p.y])];
  if (zero) ys.push(0);
  if (level != null) ys.push(level);
  if (diagonal) { xs.push(...points.map((p) => p.y)); ys.push(...points.map((p) => p.x)); }
  if (!xs.length) return h('p', {class: 'quiet'}, 'nothing measured yet');
  const PLOT_W = innerWidth < 640 ? 340 : 640;  // drawn for the screen, so that its letters stay legible
  const sx = scaleOf(xs, PLOT_LEFT, PLOT_W - PLOT_RIGHT, x.log, (PLOT_W - PLOT_LEFT - PLOT_RIGHT) / 75), sy = scaleOf(ys, PLOT_H - PLOT_BOTTOM, PLOT_TOP, y.log);
  const path = (list, pick) => list.map((p, i) => `${i ? 'L' : 'M'}${sx.at(p.x).toFixed(1)},${sy.at(pick(p)).toFixed(1)}`).join('');
  const band = line.filter((p) => p.lower != null);
  const polygon = (list) => [...list.map((p) => [p.x, p.upper]), ...[...list].reverse().map((p) => [p.x, p.lower])]
    .map(([a, b]) => `${sx.at(a).toFixed(1)},${sy.at(b).toFixed(1)}`).join(' ');
  return h('svg', {class: 'plot', viewBox: `0 0 ${PLOT_W} ${PLOT_H}`, role: 'img', 'aria-label': label},
    sx.ticks.map((v) => [h('line', {class: 'grid', x1: sx.at(v), x2: sx.at(v), y1: PLOT_TOP, y2: PLOT_H - PLOT_BOTTOM}),
      h('text', {class: 'tick', x: sx.at(v), y: PLOT_H - PLOT_BOTTOM + 16, 'text-anchor': 'middle'}, x.show(v))]),
    sy.ticks.map((v) => [h('line', {class: 'grid', x1: PLOT_LEFT, x2: PLOT_W - PLOT_RIGHT, y1: sy.at(v), y2: sy.at(v)}),
      h('text', {class: 'tick', x: PLOT_LEFT - 6, y: sy.at(v) + 4, 'text-anchor': 'end'}, y.show(v))]),
    h('text', {class: 'axis', x: (PLOT_LEFT + PLOT_W) / 2, y: PLOT_H - 6, 'text-anchor': 'middle'}, x.name),
    h('text', {class: 'axis', x: 4, y: 14}, y.name),
    band.length > 1 ? h('polygon', {class: 'band', points: polygon(band)}) : null,
    runsOf(band, (p) => p.outside).map((part) => h('polygon', {points: polygon(part), fill: 'url(#hatch)'})),
    diagonal ? h('line', {class: 'diagonal', x1: sx.at(Math.min(...xs)), y1: sy.at(Math.min(...ys)), x2: sx.at(Math.max(...xs)), y2: sy.at(Math.max(...ys))}) : null,
    level != null ? h('line', {class: 'diagonal', x1: PLOT_LEFT, x2: PLOT_W - PLOT_RIGHT, y1: sy.at(level), y2: sy.at(level)}) : null,
    line.length ? h('path', {class: 'line', d: path(line, (p) => p.y)}) : null,
    joined ? [...new Set(points.map((p) => p.kind ?? 0))].map((kind) =>
      h('path', {class: `joined kind${kind % KINDS_OF_MARKS}`, d: path(points.filter((p) => (p.kind ?? 0) === kind), (p) => p.y)})) : null,
    points.length > MOST_TITLED ? markersTogether(points.map((p) => [sx.at(p.x), sy.at(p.y), p.kind ?? 0]))
      : points.map((p) => marker(sx.at(p.x), sy.at(p.y), p.kind ?? 0, p.title)),
    marks.map((m) => h('g', null, h('line', {class: 'mark', x1: sx.at(m.x), x2: sx.at(m.x), y1: PLOT_TOP, y2: PLOT_H - PLOT_BOTTOM}),
      h('text', {class: 'tick', y: PLOT_TOP + 10, ...(sx.at(m.x) < PLOT_W - 90 ? {x: sx.at(m.x) + 4} : {x: sx.at(m.x) - 4, 'text-anchor': 'end'})}, m.text))));
}

// The parts of a list where that holds, each with its neighbours, so that they touch the rest.
function runsOf(list, holds) {
  const out = [];
  list.forEach((each, i) => {
    if (!holds(each)) return;
    const joined = i > 0 && holds(list[i - 1]);
    if (!joined) out.push(i > 0 ? [list[i - 1], each] : [each]);
    else out.at(-1).push(each);
    if (i + 1 < list.length && !holds(list[i + 1])) out.at(-1).push(list[i + 1]);
  });
  return out.filter((part) => part.length > 1);
}

const MOST_TITLED = 200;  // marks that each say what they are; of more the table does

// A circle, a square, a triangle, a cross.
function shapeAt(x, y, kind) {
  const r = 4;
  const [cx, cy, left, top] = [x, y, x - r, y - r].map((v) => v.toFixed(1));
  return [`M${left},${cy}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`, `M${left},${top}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M${cx},${(y - r - 1).toFixed(1)}l${r + 1},${2 * r}h${-2 * r - 2}z`, `M${left},${top}l${2 * r},${2 * r}m0,${-2 * r}l${-2 * r},${2 * r}`][kind % KINDS_OF_MARKS];
}

const marker = (x, y, kind, title = '') => h('path', {class: 'point kind' + kind % KINDS_OF_MARKS, d: shapeAt(x, y, kind)}, h('title', null, title));

function markersTogether(places) {
  return [...new Set(places.map(([, , kind]) => kind))].map((kind) => h('path', {class: 'point kind' + kind % KINDS_OF_MARKS,
    d: places.filter((p) => p[2] === kind).map((p) => shapeAt(...p)).join('')}));
}

// The marks of a plot and what they stand for.
export function markLegend(names) {
  return h('p', {class: 'legend'}, names.map((name, kind) => h('span', {class: 'swatched'},
    h('svg', {class: 'swatch', viewBox: '0 0 28 12', 'aria-hidden': 'true'}, h('path', {class: `joined kind${kind % KINDS_OF_MARKS}`, d: 'M0,6h28'}), marker(14, 6, kind)), name)));
}

// A line of the last values without axes; what it says stands in its label.
export function spark(values, label, most = 100) {
  if (values.length < 2) return h('span', {class: 'quiet'}, '–');
  const step = 96 / (values.length - 1);
  const d = values.map((v, i) => `${i ? 'L' : 'M'}${(2 + i * step).toFixed(1)},${(22 - 20 * Math.min(v, most) / most).toFixed(1)}`).join('');
  return h('svg', {class: 'spark', viewBox: '0 0 100 24', role: 'img', 'aria-label': label}, h('title', null, label), h('path', {class: 'line', d}));
}
