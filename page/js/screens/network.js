// What is known of one network: time and throughput over the batch size, and how well the fit holds.
import {dataTable, facts, h, link, render, table} from '../dom.js';
import {exportedRuns, get, tryGet} from '../api.js';
import {bytes, counted, digits, duration, measure, moment, percent, plain, tickTime, whole} from '../format.js';
import {KINDS_OF_MARKS, markLegend, plot} from '../plot.js';

// The question whose answers are a model's curve over the batch size.
export function curveQuestion(model) {
  return {vary: 'batch_size', network: model.network, architecture: model.architecture, framework: model.framework,
    host: model.host, device: model.device, devices: model.devices ?? '', phase: model.phase, iterations: 1000};
}

// What a model is made for. Of a name that several architectures have, which of them.
const deploymentOf = (r, several) => [r.devices === 1 ? '' : (r.devices ?? '?') + ' × ', r.device || 'unknown device', r.host ? ' of ' + r.host : '', ', ', r.framework, several ? ', ' + (r.architecture || 'unknown architecture') : ''].join('');

function measuredPoints(runs, phase, several) {
  return runs.filter((r) => r[phase]?.iterations && r[phase].samples_per_iteration && !r.diverged).map((r) => ({
    run: r, batch: r[phase].samples_per_iteration, seconds: r[phase].seconds / r[phase].iterations,
    where: deploymentOf(r, several), at: r.started_at ? +new Date(r.started_at) : null}));
}

// What an estimate tells beside time, where runs measured it. It has no interval: drawn between what was seen only.
const CURVE_COSTS = [
  {name: 'energy a sample', of: (row) => row.energy_joules == null ? null : row.energy_joules / row.iterations / row.batch_size, show: (v) => measure(v, 'J'),
    caption: 'Energy a sample, of all devices together: the estimate, from traces of the GPUs\u2019 power or from tables.'},
  {name: 'peak memory of a device', of: (row) => row.peak_memory_bytes, show: bytes, scale: 2 ** 30, tick: (v) => digits(v) + '\u00a0GiB',
    caption: 'Peak memory of a device: the estimate, from traces or from tables.', limit: (row) => row.device_memory_bytes ?? null}];

const rowTime = (row) => row.seconds_per_iteration;

// The settings that estimates go by; a test's speed is told by one of them. A table's have names of their own.
const COVARIATES = {train: ['iter_size', 'precision', 'sequence_length', 'type', 'workers'], test: ['precision']};

// Whether a model is of runs set like that one. Of others' runs a private history shows no settings.
function hasSettings(run, model) {
  const own = run.settings ?? {}, names = [...COVARIATES[model.phase], ...(own.table_settings ?? '').split(' ').filter(Boolean)];
  const said = (settings, name) => settings[name] || (name === 'iter_size' ? '1' : '');
  return !Object.keys(own).length || [...names, ...Object.keys(model.settings ?? {})].every((name) => said(own, name) === said(model.settings ?? {}, name));
}

function modelSection(model, points, curve, kinds, several) {
  const where = deploymentOf(model, several), mine = points.filter((p) => p.where === where && hasSettings(p.run, model));
  const rows = (curve?.rows ?? []).filter((r) => r.seconds_per_iteration != null);
  const line = rows.map((r) => ({x: r.batch_size, y: rowTime(r), lower: rowTime(r) * r.lower / r.seconds, upper: rowTime(r) * r.upper / r.seconds,
    outside: (r.extrapolates ?? []).includes('batch_size'), fits: r.fits, costs: CURVE_COSTS.map((cost) => cost.of(r))}));
  const costs = CURVE_COSTS.map((cost, i) => ({...cost, at: (l) => l.costs[i], level: rows.length && cost.limit ? cost.limit(rows[0]) : null, known: line.filter((l) => l.costs[i] != null && !l.outside)})).filter(({known}) => known.length > 1);
  const kindOf = (p) => kinds.indexOf(p.where);
  const logx = {name: 'batch size (samples an iteration)', log: 'sizes', show: (v) => whole(v)};
  // Where the largest that was asked for is the best, none can be seen.
  const knee = curve?.knee < line.at(-1)?.x ? curve.knee : null;
  const fitted = (p) => {
    const near = line.filter((l) => l.x <= p.batch).at(-1), next = line.find((l) => l.x >= p.batch);
    if (!near || !next) return null;
    const share = near.x === next.x ? 0 : Math.log(p.batch / near.x) / Math.log(next.x / near.x);
    return Math.exp((1 - share) * Math.log(near.y) + share * Math.log(next.y));
  };
  const residuals = mine.map((p) => ({...p, off: fitted(p) ? p.seconds / fitted(p) - 1 : null})).filter((p) => p.off != null);
  const title = (p) => `run ${p.run.id}: batch ${p.batch}, ${duration(p.seconds)}`;
  const dated = residuals.filter((p) => p.at != null);
  return h('section', {'data-key': 'model ' + model.id},
    h('h2', null, `${model.phase === 'train' ? 'Training' : 'Testing'} on ${plain(where, 90)}`),
    facts([['runs', whole(model.runs)], ['settings', plain(Object.entries(model.settings ?? {}).map((each) => each.join(' ')).join(', '), 200)],
      ['runs of other settings', model.other_runs ? whole(model.other_runs) + ', not shown' : null], ['error', model.error_percent == null ? 'not tested: no other run like it' : digits(model.error_percent) + ' %'],
      ['fitted', moment(model.fitted_at)], ['changed', model.changed_at ? 'what came before ' + moment(model.changed_at) + ' no longer counts' : null]]),
    h('div', {class: 'pair'},
      h('figure', null, plot({label: 'seconds an iteration over the batch size', x: logx, y: {name: 'seconds an iteration', log: true, show: duration},
        points: mine.map((p) => ({x: p.batch, y: p.seconds, kind: kindOf(p), title: title(p)})), line}),
        h('figcaption', null, 'Measured runs, the estimate and its 90 % interval. Hatched: beyond what was measured.')),
      h('figure', null, plot({label: 'samples a second over the batch size', x: logx, y: {name: 'samples a second', log: false, show: (v) => digits(v)}, zero: true,
        points: mine.map((p) => ({x: p.batch, y: p.batch / p.seconds, kind: kindOf(p), title: title(p)})),
        line: line.map((l) => ({x: l.x, y: l.x / l.y, lower: l.x / l.upper, upper: l.x / l.lower, outside: l.outside})),
        marks: knee ? [{x: knee, text: 'knee'}] : []}),
        h('figcaption', null, knee ? `From a batch of ${whole(knee)} on, larger ones gain less than ${100 * curve.knee_within} %.` : 'Throughput.')),
      costs.map(({name, at, show, caption, level, known, scale = 1, tick = show}) => h('figure', null, plot({label: name + ' over the batch size', x: logx, y: {name, show: tick}, zero: true, joined: true, level: level && level / scale,
        points: known.map((l) => ({x: l.x, y: at(l) / scale, kind: Math.max(0, kinds.indexOf(where)), title: `batch ${whole(l.x)}: ${show(at(l))}`}))}), h('figcaption', null, caption, level ? ' The dashed line: what the device has.' : null))),
      dated.length > 1 ? h('figure', null, plot({label: 'residuals by date', x: {name: 'begun', show: tickTime(dated.map((p) => p.at))},
        y: {name: 'residual', show: (v) => percent(v)}, level: 0, points: dated.map((p) => ({x: p.at, y: p.off, kind: kindOf(p), title: title(p)}))}),
        h('figcaption', null, 'Residuals by date: how much longer each run took than the estimate.')) : null,
      residuals.length > 1 ? h('figure', null, plot({label: 'residuals by batch size', x: logx, y: {name: 'residual', show: (v) => percent(v)}, level: 0,
        points: residuals.map((p) => ({x: p.batch, y: p.off, kind: kindOf(p), title: title(p)}))}), h('figcaption', null, 'Residuals by batch size.')) : null),
    dataTable([{head: 'batch', right: true, cell: (l) => whole(l.x)}, {head: 'seconds', right: true, cell: (l) => duration(l.y)},
      {head: 'between', cell: (l) => `${duration(l.lower)} to ${duration(l.upper)}`}, {head: 'samples a second', right: true, cell: (l) => digits(l.x / l.y)},
      ...costs.map(({name, at, show}) => ({head: name, right: true, cell: (l) => at(l) == null ? '–' : show(at(l))})),
      {head: 'measured', cell: (l) => (l.outside ? 'beyond' : 'within') + (l.fits === false ? ', ✕ does not fit' : '')}], line, {title: 'the estimate as a table'}),
    dataTable([{head: 'run', right: true, cell: (p) => h('a', {href: '#/run/' + p.run.id}, p.run.id)}, {head: 'begun', cell: (p) => moment(p.run.started_at)},
      {head: 'batch', right: true, cell: (p) => whole(p.batch)}, {head: 'an iteration', right: true, cell: (p) => duration(p.seconds)},
      {head: 'residual', right: true, cell: (p) => percent(p.off)}], residuals, {title: 'the runs as a table'}));
}

// Devices, and numbers of devices, side by side: the median of the measured runs at each batch size. As many
// as can be told apart, those with the most runs.
function sideBySide(measured, known) {
  const count = (where) => measured.filter((p) => p.where === where).length;
  const kinds = known.filter(count).sort((a, b) => count(b) - count(a)).slice(0, KINDS_OF_MARKS);
  if (kinds.length < 2) return null;
  const points = measured.filter((p) => kinds.includes(p.where)), groups = kinds.map((where) => points.filter((p) => p.where === where));
  const sizes = [...new Set(points.map((p) => p.batch))].sort((a, b) => a - b);
  const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
  const at = (list, size) => median(list.filter((p) => p.batch === size).map((p) => p.seconds));
  const medians = groups.flatMap((list, kind) => sizes.map((size) => ({kind, x: size, seconds: at(list, size)})).filter((p) => p.seconds)
    .map((p) => ({...p, y: p.x / p.seconds, title: `${plain(kinds[kind], 60)}: batch ${whole(p.x)}, ${duration(p.seconds)} an iteration, ${digits(p.x / p.seconds)} samples a second`})));
  return h('section', null, h('h2', null, 'Side by side'), h('figure', null, markLegend(kinds.map((where) => plain(where, 60))),
    plot({label: 'samples a second over the batch size, by devices', x: {name: 'batch size, all devices together', log: 'sizes', show: whole},
      y: {name: 'samples a second', show: (v) => digits(v)}, zero: true, points: medians, joined: true}),
    h('figcaption', null, 'What each trained with: the median of its runs.')),
  table([{head: 'batch', right: true, cell: whole},
    ...groups.map((list, kind) => ({head: plain(kinds[kind], 60), right: true, cell: (size) => duration(at(list, size))}))],
  sizes, {caption: 'median time of a training iteration'}));
}

const MOST_MODELS = 12;  // with their charts; of more those that rest on the most runs

export function networkScreen(root, signal, query, name, live) {
  return live.follow(name ? () => oneNetwork(root, signal, name) : () => networksList(root, signal));
}

async function oneNetwork(root, signal, name) {
  const [answer, found] = await Promise.all([get('/v1/models', {network: name}, signal), get('/v1/runs', {network: name, limit: exportedRuns ?? 1000}, signal)]);
  // The daemon finds names in any case; two that differ in it are two networks.
  const its = (each) => each.network === name, known = answer.models.filter(its), runs = found.runs.filter(its);
  const models = known.sort((a, b) => b.runs - a.runs || a.id - b.id).slice(0, MOST_MODELS);
  const curves = await Promise.all(models.map((m) => tryGet('/v1/whatif', curveQuestion(m), signal)));
  const several = new Set([...runs, ...known].map((each) => each.architecture)).size > 1;
  const train = measuredPoints(runs, 'train', several), test = measuredPoints(runs, 'test', several);
  const kinds = [...new Set([...train, ...test].map((p) => p.where))];
  render(root, h('h1', null, plain(name, 80)), h('p', {class: 'quiet'}, h('a', {href: '#/runs?network=' + encodeURIComponent(name)}, counted(runs.length, 'run')), found.next ? ' (the newest)' : ''),
    models.length ? null : h('p', null, 'No model yet: it takes a run that trained or tested to its end.'),
    sideBySide(train, kinds),
    models.map((m, i) => modelSection(m, m.phase === 'train' ? train : test, curves[i], kinds, several)),
    known.length > models.length ? h('p', {class: 'quiet'}, `Of ${whole(known.length)} models these rest on the most runs; `, h('code', null, 'etactl models'), ' lists all.') : null);
}

async function networksList(root, signal) {
  const answer = await get('/v1/networks', {limit: 200}, signal);
  render(root, h('h1', null, 'Networks'), table([
    {head: 'network', cell: (n) => n.network ? link('#/network/' + encodeURIComponent(n.network), plain(n.network, 60)) : h('span', {class: 'quiet'}, 'without a name')},
    {head: 'architecture', cell: (n) => n.architecture || '–'},
    {head: 'frameworks', cell: (n) => plain(n.frameworks.join(', '), 40)}, {head: 'devices', cell: (n) => plain(n.devices.join(', '), 60) || '–'},
    {head: 'batch sizes', cell: (n) => plain(n.batch_sizes.map(whole).join(', '), 60) || '–'}, {head: 'runs', right: true, cell: (n) => whole(n.runs)},
    {head: 'last seen', cell: (n) => h('span', {class: 'when'}, moment(n.last_seen))}], answer.networks,
  {caption: 'networks', silent: true, empty: 'No network has been seen yet.', key: (n) => `${n.network} ${n.architecture}`}),
  answer.next ? h('p', {class: 'quiet'}, 'The first 200; ', h('code', null, 'etactl networks'), ' lists all.') : null);
}
