// Dense series over time, drawn by Dygraphs: they share one time axis, and show what stands under the pointer.
import {dataTable, h, render, replace} from './dom.js';
import {duration, instant, moment} from './format.js';

const DASHES = [null, [6, 3], [2, 3], [8, 3, 2, 3]];
// The library's own legend sets inline styles, which the page's policy forbids.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// `show(charts)` draws one chart for each: {title, note, labels, rows: [[Date, value or [low, mid, high], …]],
// unit(v), bars, shades: [{from, to, kind}]}; called again it changes them in place, and a part that was chosen
// stays. Zooming one zooms all. Ends with `signal`.
export function timeCharts(signal) {
  const element = h('div', {class: 'charts', 'data-key': 'charts', 'data-keep': true});
  let drawn = [], whole = null, chosen = null, moving = false;
  signal.addEventListener('abort', () => drawn.forEach(({graph}) => graph?.destroy()));

  function show(charts) {
    whole = spanOf(charts);
    const same = charts.length === drawn.length && charts.every((chart, i) => sameLines(chart, drawn[i].chart));
    if (!same) {
      drawn.forEach(({graph}) => graph?.destroy());
      drawn = charts.map((chart) => ({chart, graph: null}));
      replace(element, charts.map((chart, i) => section(chart, i)));
      queueMicrotask(() => drawn.forEach(begin));
      return;
    }
    render(element, charts.map((chart, i) => section(chart, i)));
    charts.forEach((chart, i) => {
      drawn[i].chart = chart;
      drawn[i].graph?.updateOptions({file: chart.rows, dateWindow: chosen ?? whole});
    });
  }

  function section(chart, i) {
    return h('section', {class: 'chart', 'data-key': chart.title}, h('h3', null, chart.title, chart.note ? h('small', null, ' ', chart.note) : null),
      h('div', {class: 'legend', 'aria-hidden': 'true'}, legendOf(chart)),
      h('div', {class: 'dygraph', role: 'img', tabindex: 0, 'data-keep': true, 'aria-label': chart.title + ': arrows move, + and - zoom, Escape shows all',
        onkeydown: (event) => steer(event, drawn[i].graph)}),
      dataTable([{head: 'time', cell: (r) => moment(r[0])},
        ...chart.labels.map((name, k) => ({head: name, right: true, cell: (r) => chart.unit(chart.bars ? r[k + 1]?.[1] : r[k + 1])}))], chart.rows));
  }

  // By keyboard: as by mouse, and all charts together.
  function steer(event, graph) {
    if (!graph) return;
    const [from, to] = graph.xAxisRange(), width = to - from;
    const wanted = {ArrowLeft: [from - width / 4, to - width / 4], ArrowRight: [from + width / 4, to + width / 4], '+': [from + width / 4, to - width / 4],
      '-': [from - width / 2, to + width / 2], Escape: whole}[event.key];
    if (!wanted) return;
    event.preventDefault();
    const size = Math.min(wanted[1] - wanted[0], whole[1] - whole[0]), left = Math.min(Math.max(wanted[0], whole[0]), whole[1] - size);
    graph.updateOptions({dateWindow: [left, left + size]});
  }

  function begin(view, i) {
    const place = element.children[i]?.querySelector('.dygraph'), legend = place?.previousSibling;
    if (!place?.isConnected) return;
    const {chart} = view, size = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    view.graph = new Dygraph(place, chart.rows, {
      labels: ['time', ...chart.labels],
      customBars: !!chart.bars,
      connectSeparatedPoints: true,
      dateWindow: chosen ?? whole,
      colors: ['--c1', '--c2', '--c3', '--c4'].map(colour),
      series: Object.fromEntries(chart.labels.map((name, k) => [name, {strokePattern: DASHES[k % DASHES.length]}])),
      strokeWidth: 1.5,
      gridLineColor: colour('--grid'), axisLineColor: colour('--grid'),
      axisLabelFontSize: 12 * size, axisLabelWidth: 70 * size,
      axes: {y: {axisLabelFormatter: (v) => chart.unit(v), ...(chart.clock ? {ticker: clockTicks} : {})}},
      includeZero: chart.zero ?? false,
      labelsKMG2: chart.bytes ?? false,
      highlightCallback: (event, x, points) => {
        legend.textContent = instant(new Date(x)) + '  ' + points.map((p) => `${p.name} ${chart.unit(p.yval)}`).join(', ');
      },
      unhighlightCallback: () => replace(legend, legendOf(view.chart)),
      underlayCallback: (context, area, g) => {
        for (const shade of view.chart.shades ?? []) {
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
        for (const {graph} of drawn) if (graph && graph !== g) graph.updateOptions({dateWindow: [from, to]});
        moving = false;
      },
    });
  }
  return {element, show};
}

const sameLines = (a, b) => a.title === b.title && a.labels.join() === b.labels.join() && a.bars === b.bars;

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
