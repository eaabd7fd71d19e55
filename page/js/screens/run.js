// One run: what it did over time, what its GPUs did meanwhile, what was said of it and how right that was.
import {facts, h, replace, table} from '../dom.js';
import {exported, get, tryGet, watch} from '../api.js';
import {between, bytes, digits, duration, measure, moment, nameOf, percent, plain, whole} from '../format.js';
import {timeCharts} from '../series.js';
import {doneOf, stateOf, tookOf} from './now.js';

const MOST_POINTS = 1000;
const GPU_SERIES = ['gpu.utilization', 'gpu.power', 'gpu.clock_sm', 'gpu.memory_used'];

export function seriesWindow(run) {
  const from = new Date(run.started_at), to = new Date(run.ended_at ?? run.last_line_at ?? Date.now());
  return {from: from.toISOString(), to: to.toISOString(), step: Math.max(1, Math.ceil((to - from) / 1000 / 400))};
}

function stepChart(segments, anomaly) {
  const train = segments.filter((s) => s.phase === 'train' && s.iterations > 0);
  const rows = train.map((s) => {
    const mean = s.seconds / s.iterations;
    return [new Date(s.started_at), [s.min_seconds_per_iteration ?? mean, mean, s.max_seconds_per_iteration ?? mean]];
  });
  const shades = segments.filter((s) => s.phase === 'test').map((s) => {
    const from = +new Date(s.started_at);
    return {from, to: from + 1000 * s.seconds, kind: 'test'};
  });
  if (anomaly) {
    const since = train.find((s) => s.first_iteration >= anomaly.since_iteration);
    if (since) shades.push({from: +new Date(since.started_at), to: +rows.at(-1)[0], kind: 'slow'});
  }
  return {title: 'Step time', labels: ['seconds an iteration'], rows, bars: true, shades, unit: duration};
}

function lossChart(points) {
  const rows = points.filter((p) => p.loss != null).map((p) =>
    [new Date(p.at), [p.min_loss ?? p.loss, p.loss, p.max_loss ?? p.loss]]);
  return {title: 'Loss', labels: ['loss'], rows, bars: true, unit: (v) => digits(v)};
}

// What was said to remain at each moment, beside what then did.
function remainingChart(run) {
  const said = (run.predictions ?? []).filter((p) => p.kind === 'remaining' || p.kind === 'total');
  const end = run.ended_at ? +new Date(run.ended_at) : null;
  const rows = said.filter((p) => p.made_at).map((p) => {
    const at = new Date(p.made_at), left = p.seconds;
    return [at, [p.lower, left, p.upper], end ? Array(3).fill((end - at) / 1000) : [null, null, null]];
  }).sort((a, b) => a[0] - b[0]);
  return {title: 'Remaining time, as it was said', labels: ['said', 'true'], rows, bars: true, unit: duration, zero: true};
}

async function gpuCharts(run, signal) {
  const gpus = new Set((run.usage?.gpus ?? []).map((g) => 'gpu=' + g.gpu));
  if (!gpus.size) return [];
  const asked = await Promise.all(GPU_SERIES.map((name) => tryGet('/v1/series/' + name, seriesWindow(run), signal)));
  return asked.flatMap((answer, i) => {
    const lines = (answer?.series ?? []).filter((s) => s.labels.split(',').some((l) => gpus.has(l)) && s.samples.length);
    if (!lines.length) return [];
    const times = new Map();
    lines.forEach((s, k) => s.samples.forEach((p) => {
      const row = times.get(p.at) ?? Array(lines.length).fill([null, null, null]);
      row[k] = [p.min, p.mean, p.max];
      times.set(p.at, row);
    }));
    const rows = [...times].sort(([a], [b]) => a < b ? -1 : 1).map(([at, values]) => [new Date(at), ...values]);
    return [{title: GPU_SERIES[i], labels: lines.map((s) => plain(s.labels, 30)), rows, bars: true, unit: (v) => measure(v, lines[0].unit)}];
  });
}

function predictionsTable(run) {
  return table([
    {head: 'said', cell: (p) => p.at_fraction ? 'at ' + percent(p.at_fraction) : 'as it began'},
    {head: 'what', cell: (p) => p.kind},
    {head: 'seconds', right: true, cell: (p) => duration(p.seconds)}, {head: 'between', cell: between},
    {head: 'it took', right: true, cell: (p) => duration(p.actual_seconds)},
    {head: 'off by', right: true, cell: (p) => p.actual_seconds ? percent(p.seconds / p.actual_seconds - 1) : '–'},
    {head: 'held', cell: (p) => p.actual_seconds ? (p.actual_seconds >= p.lower && p.actual_seconds <= p.upper ? 'yes' : 'no') : '–'},
  ], run.predictions ?? [], {caption: 'what was predicted', empty: 'Nothing was predicted of it.'});
}

function phaseFacts(name, phase) {
  if (!phase?.iterations) return [];
  return [[name, `${whole(phase.iterations)} iterations of ${whole(phase.samples_per_iteration)} samples in ${duration(phase.seconds)}, ` +
    `${duration(phase.seconds / phase.iterations)} each`]];
}

export function runFacts(run) {
  const usage = run.usage ?? {};
  return facts([
    ['state', stateOf(run)], ['message', run.message ? plain(run.message, 300) : null],
    ['done', doneOf(run) == null ? null : `${percent(doneOf(run))}, ${whole(run.progress?.iteration)} of ${whole(run.progress?.of)}`],
    ['remaining', run.remaining ? `${duration(run.remaining.seconds)} (${between(run.remaining)}), until ${moment(run.expected_end)}` : null],
    ...phaseFacts('training', run.train), ...phaseFacts('testing', run.test),
    ['snapshots', run.snapshots ? `${run.snapshots}, ${duration(run.snapshot_seconds)} in all` : null],
    ['start-up', run.startup_seconds ? duration(run.startup_seconds) : null],
    ['begun', moment(run.started_at)], ['ended', run.ended_at ? moment(run.ended_at) : null],
    ['took', duration(tookOf(run))],
    ['on', plain(`${run.devices > 1 ? run.devices + ' × ' : ''}${run.device || 'unknown device'}${run.host ? ' of ' + run.host : ''}`, 90)],
    ['framework', plain(run.framework, 40)], ['log', plain(run.source, 300)],
    ['GPU use', usage.utilization_percent != null ? digits(usage.utilization_percent) + ' %' : null],
    ['energy', usage.energy_joules != null ? measure(usage.energy_joules, 'J') : null],
    ['peak memory', usage.peak_memory_bytes != null ? bytes(usage.peak_memory_bytes) : null]]);
}

export async function runScreen(root, signal, query, id) {
  let charts = null;
  signal.addEventListener('abort', () => charts?.destroy());
  const draw = async (signalled) => {
    const run = await get('/v1/runs/' + id, {}, signal);
    const [segments, progress, gpus] = await Promise.all([
      tryGet(`/v1/runs/${id}/segments`, {points: MOST_POINTS}, signal),
      tryGet(`/v1/runs/${id}/progress`, {points: MOST_POINTS}, signal), gpuCharts(run, signal)]);
    const list = [lossChart(progress?.points ?? []), stepChart(segments?.segments ?? [], run.anomaly), remainingChart(run), ...gpus]
      .filter((c) => c.rows.length > 1);
    charts?.destroy();
    charts = timeCharts(list);
    replace(root, h('h1', null, nameOf(run), ' ', h('small', null, 'run ' + run.id)), runFacts(run),
      run.network ? h('p', null, h('a', {href: '#/network/' + encodeURIComponent(run.network)}, 'its network'), ' · ',
        exported ? null : h('a', {href: '#/ask?like=' + run.id}, 'how long would one like it take?')) : null,
      charts.element,
      segments?.segments?.some((s) => s.phase === 'test') ? h('p', {class: 'quiet'}, 'Shaded: tests', run.anomaly ? ', and where it became slow.' : '.') : null,
      h('h2', null, 'Predictions'), predictionsTable(run),
      h('details', null, h('summary', null, 'settings'), table([{head: 'name', cell: (e) => plain(e[0], 60)}, {head: 'value', cell: (e) => plain(e[1], 200)}],
        Object.entries(run.settings ?? {}), {caption: 'settings as the log shows them'})));
    return run;
  };
  const run = await draw();
  if (exported || run.state !== 'running') return;
  let waiting = null;  // redrawn at most every five seconds
  watch('/v1/runs', {watch: true, network: run.network || null}, {
    signal, state: () => {},
    each: (changed) => {
      if (changed.id !== run.id || waiting) return;
      waiting = setTimeout(() => { waiting = null; if (!signal.aborted) draw().catch(() => {}); }, 5000);
    },
  });
}
