// Dense series over time, drawn by Dygraphs: they share one time axis, and show what stands under the pointer.
import {dataTable, h, replace} from './dom.js';
import {duration, moment} from './format.js';

const DASHES = [null, [6, 3], [2, 3], [8, 3, 2, 3]];
// The library's own legend sets inline styles, which the page's policy forbids.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// One chart for each entry of `charts`: {title, labels, rows: [[Date, value or [low, mid, high], …]], unit(v),
// bars, shades: [{from, to, kind}]}. Zooming one zooms all, at first to `zoom`, [from, to], where that is given.
// Returns {element, zoomed() -> such a stretch or null, destroy}.
export function timeCharts(charts, zoom) {
  const drawn = [];
  let moving = false, chosen = zoom ?? null;
  const whole = spanOf(charts), range = zoom ?? whole;
  const element = h('div', {class: 'charts'}, charts.map((chart) => {
    const place = h('div', {class: 'dygraph', role: 'img', 'aria-label': chart.title});
    const legend = h('div', {class: 'legend', 'aria-hidden': 'true'}, legendOf(chart));
    queueMicrotask(() => draw(chart, place, legend));
    return h('section', {class: 'chart'}, h('h3', null, chart.title), legend, place,
      dataTable([{head: 'time', cell: (r) => moment(r[0])},
        ...chart.labels.map((name, i) => ({head: name, right: true, cell: (r) => chart.unit(chart.bars ? r[i + 1]?.[1] : r[i + 1])}))], chart.rows));
  }));

  function draw(chart, place, legend) {
    if (!place.isConnected) return;
    const graph = new Dygraph(place, chart.rows, {
      labels: ['time', ...chart.labels],
      customBars: !!chart.bars,
      connectSeparatedPoints: true,
      dateWindow: range,
      colors: ['--c1', '--c2', '--c3', '--c4'].map(colour),
      series: Object.fromEntries(chart.labels.map((name, i) => [name, {strokePattern: DASHES[i % DASHES.length]}])),
      strokeWidth: 1.5,
      gridLineColor: colour('--grid'), axisLineColor: colour('--grid'),
      axes: {y: {axisLabelFormatter: (v) => chart.unit(v), axisLabelWidth: 70, ...(chart.clock ? {ticker: clockTicks} : {})}, x: {axisLabelWidth: 70}},
      includeZero: chart.zero ?? false,
      labelsKMG2: chart.bytes ?? false,
      highlightCallback: (event, x, points) => {
        legend.textContent = moment(new Date(x).toISOString()) + '  ' + points.map((p) => `${p.name} ${chart.unit(p.yval)}`).join(', ');
      },
      unhighlightCallback: () => replace(legend, legendOf(chart)),
      underlayCallback: (context, area, g) => {
        for (const shade of chart.shades ?? []) {
          const [left] = g.toDomCoords(shade.from, 0), [right] = g.toDomCoords(shade.to, 0);
          context.fillStyle = colour('--shade-' + shade.kind);
          context.fillRect(left, area.y, Math.max(1, right - left), area.h);
        }
      },
      drawCallback: (g, first) => {
        if (first || moving) return;
        moving = true;
        const [from, to] = g.xAxisRange();
        chosen = from > whole[0] || to < whole[1] ? [from, to] : null;
        for (const other of drawn) if (other !== g) other.updateOptions({dateWindow: g.xAxisRange()});
        moving = false;
      },
    });
    drawn.push(graph);
  }
  return {element, zoomed: () => chosen, destroy: () => drawn.forEach((g) => g.destroy())};
}

// Round seconds, minutes and hours.
function clockTicks(low, high, pixels) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400];
  const step = steps.find((s) => (high - low) / s <= pixels / 30) ?? 86400 * Math.ceil((high - low) / 86400 / (pixels / 30));
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push({v, label: duration(v)});
  return out;
}

const SHADES = {test: 'tests', save: 'snapshots', slow: 'slower than its model allows'};

// Each line as it is drawn, with its name, where there are several; and what is shaded.
function legendOf(chart) {
  const shaded = Object.keys(SHADES).filter((kind) => chart.shades?.some((s) => s.kind === kind));
  return [chart.labels.length < 2 ? [] : lineLegend(chart), shaded.map((kind) => h('span', {class: 'swatched'},
    h('span', {class: 'swatch ' + kind}), SHADES[kind]))];
}

function lineLegend(chart) {
  return chart.labels.map((name, i) => h('span', {class: 'swatched'},
    h('svg', {class: 'swatch', viewBox: '0 0 28 12'}, h('path', {class: `joined line${i % DASHES.length}`, d: 'M0,6h28', 'stroke-dasharray': DASHES[i % DASHES.length]?.join(' ')})), name));
}

function spanOf(charts) {
  const times = charts.flatMap((c) => c.rows.length ? [+c.rows[0][0], +c.rows.at(-1)[0]] : []);
  const low = Math.min(...times), high = Math.max(...times);
  return low < high ? [low, high] : [low - 30000, high + 30000];
}
