// How right the predictions were.
import {get, tryGet} from '../api.js';
import {dataTable, h, link, render, table} from '../dom.js';
import {between, digits, duration, moment, percent, plain, tickTime, whole} from '../format.js';
import {plot} from '../plot.js';

const KINDS = ['remaining', 'total'];

// The share of intervals that held, in groups of as many predictions one after the other.
function coverageOverTime(list) {
  const size = Math.max(5, Math.ceil(list.length / 12)), out = [];
  for (let i = 0; i + size <= list.length; i += size) {
    const group = list.slice(i, i + size);
    out.push({x: +new Date(group.at(-1).made_at), y: group.filter((p) => p.actual_seconds >= p.lower && p.actual_seconds <= p.upper).length / size, count: size});
  }
  return out;
}

function accuracyColumns(first) {
  return [first, {head: 'predictions', right: true, cell: (r) => whole(r.predictions)}, {head: 'mean error', right: true, cell: (r) => digits(r.mean_error_percent) + ' %'},
    {head: 'median', right: true, cell: (r) => digits(r.median_error_percent) + ' %'}, {head: 'bias', right: true, cell: (r) => digits(r.bias_percent) + ' %'},
    {head: 'intervals held', right: true, cell: (r) => percent(r.coverage)}];
}

function estimatorsTable(answer) {
  const list = answer?.estimators ?? [];
  if (!list.length) return null;
  const kinds = [...new Set(list.flatMap((e) => Object.keys(e.kinds ?? {})))];
  return h('section', null, h('h2', null, 'Estimators'), table([{head: 'name', cell: (e) => plain(e.name, 40)}, {head: 'source', cell: (e) => h('span', {class: 'path'}, plain(e.source, 120))},
    ...kinds.map((kind) => ({head: kind.replaceAll('_', ' '), right: true, cell: (e) => {
      const here = e.kinds?.[kind];
      return here?.left_out_error_percent == null ? '–' : digits(here.left_out_error_percent) + ' %' + (here.chosen ? ' ✓' : '');
    }})), {head: 'needs', cell: (e) => e.needs?.missing ? h('span', {class: 'path'}, plain(e.needs.missing, 160)) : ''}], list, {caption: 'left-out error by kind of question; ✓ answers'}));
}

export function recordScreen(root, signal, query, name, live) {
  return live.follow(async () => {
    const [accuracy, said, estimators] = await Promise.all([get('/v1/accuracy', {}, signal), tryGet('/v1/predictions', {limit: 1000}, signal),
      tryGet('/v1/estimators', {}, signal)]);
    const list = (said?.predictions ?? []).filter((p) => p.actual_seconds > 0).sort((a, b) => a.made_at < b.made_at ? -1 : 1);
    render(root, h('h1', null, 'Track record'),
      list.length ? predictionCharts(list) : h('p', null, 'No followed run has finished yet: what is said of running runs is kept, and held against what they then took.'),
      accuracy.overall?.length ? [h('h2', null, 'By kind of question'), table(accuracyColumns({head: 'kind', cell: (r) => (r.kind ?? 'all') + (r.at_fraction ? ' at ' + percent(r.at_fraction) : r.at_fraction === 0 ? ' as it began' : '')}), accuracy.overall, {caption: 'by kind', silent: true}),
        h('h2', null, 'By network'), table(accuracyColumns({head: 'network', cell: (r) => r.network ? link('#/network/' + encodeURIComponent(r.network), plain(r.network, 50)) : 'without a name'}),
          (accuracy.networks ?? []).filter((r) => !r.kind && r.at_fraction == null), {caption: 'by network', silent: true})] : null,
      estimatorsTable(estimators));
  });
}

function predictionCharts(list) {
  const log = (name) => ({name, log: 'time', show: duration}), held = coverageOverTime(list);
  return [h('div', {class: 'pair'},
    h('figure', null, plot({label: 'predicted against actual', x: log('it took'), y: log('predicted'), diagonal: true,
      points: list.map((p) => ({x: p.actual_seconds, y: p.seconds, kind: KINDS.indexOf(p.kind), title: `run ${p.run}, ${plain(p.network, 40)}: said ${duration(p.seconds)}, took ${duration(p.actual_seconds)}`}))}),
      h('figcaption', null, 'Predicted against actual. Circles: remaining time; squares: the whole run.')),
    held.length > 1 ? h('figure', null, plot({label: 'share of intervals that held, over time', x: {name: 'said', show: tickTime(held.map((p) => p.x))},
      y: {name: 'share that held', show: (v) => percent(v)}, zero: true, level: 0.9, line: held, points: held}),
      h('figcaption', null, 'Of 100 intervals 90 should hold: the dashed line.')) : null),
  dataTable([{head: 'run', right: true, cell: (p) => h('a', {href: '#/run/' + p.run}, p.run)}, {head: 'network', cell: (p) => plain(p.network, 50)},
    {head: 'said', cell: (p) => h('span', {class: 'when'}, moment(p.made_at))}, {head: 'kind', cell: (p) => p.kind}, {head: 'predicted', right: true, cell: (p) => duration(p.seconds)},
    {head: 'between', cell: between}, {head: 'it took', right: true, cell: (p) => duration(p.actual_seconds)},
    {head: 'held', cell: (p) => p.covered ? 'yes' : 'no'}], list, {title: 'the predictions as a table'}),
  held.length > 1 ? dataTable([{head: 'until', cell: (g) => h('span', {class: 'when'}, moment(new Date(g.x).toISOString()))}, {head: 'predictions', right: true, cell: (g) => whole(g.count)},
    {head: 'held', right: true, cell: (g) => percent(g.y)}], held, {title: 'the shares as a table'}) : null];
}
