// One run: what it did over time, what its GPUs did meanwhile, what was said of it and how right that was.
import {facts, h, render, table} from '../dom.js';
import {exported, get, tryGet} from '../api.js';
import {between, bytes, digits, duration, measure, moment, nameOf, percent, placeOf, plain, whole} from '../format.js';
import {timeCharts} from '../series.js';
import {tracesOf} from '../traces.js';
import {LOOK, progressOf, stateOf, tookOf} from './now.js';

const MOST_POINTS = 1000;

// Where the run neither trained nor tested: its snapshots. A window's seconds are without them, and the next
// one begins after them: that is how long those of a window took. Each is drawn from the moment it began; where
// the log does not tell that, at the end of the window, before a test that ends it.
function pausesOf(run, train, tests, begun) {
  if (!run.snapshots) return [];
  return train.flatMap((s, i) => {
    const next = train[i + 1] ?? {started_at: run.ended_at, first_iteration: s.first_iteration + s.iterations};
    const from = +new Date(s.started_at), to = +new Date(next.started_at ?? s.started_at);
    const missing = Math.max(0, next.first_iteration - s.first_iteration - s.iterations) / s.iterations;
    const within = tests.filter((t) => t.from >= from && t.from < to), last = within.at(-1);
    const pause = to - from - 1000 * s.seconds * (1 + missing) - within.reduce((sum, t) => sum + t.to - t.from, 0);
    if (pause <= 0.02 * (to - from)) return [];
    const here = begun.filter((at) => at >= from && at < to);
    if (here.length) return here.map((at) => ({from: at, to: at + pause / here.length, kind: 'save'}));
    const end = last && to - last.to < 0.02 * (to - from) ? last.from : to;
    return [{from: end - pause, to: end, kind: 'save'}];
  });
}

function stepChart(run, segments, snapshots) {
  const train = segments.filter((s) => s.phase === 'train' && s.iterations > 0 && s.started_at);
  const rows = train.map((s) => {
    const mean = s.seconds / s.iterations;
    return [new Date(s.started_at), [s.min_seconds_per_iteration ?? mean, mean, s.max_seconds_per_iteration ?? mean]];
  });
  const tests = segments.filter((s) => s.phase === 'test' && s.started_at).map((s) => {
    const from = +new Date(s.started_at);
    return {from, to: from + 1000 * s.seconds, kind: 'test'};
  });
  const shades = [...tests, ...pausesOf(run, train, tests, snapshots.map((s) => +new Date(s.at)))];
  if (run.anomaly) {
    const since = train.find((s) => s.first_iteration + s.iterations > run.anomaly.since_iteration);
    if (since) shades.push({from: +new Date(since.started_at), to: +rows.at(-1)[0], kind: 'slow'});
  }
  return {title: 'Step time', labels: ['an iteration'], rows, bars: true, shades, unit: duration};
}

function lossChart(points) {
  const rows = points.filter((p) => p.loss != null).map((p) =>
    [new Date(p.at), [p.min_loss ?? p.loss, p.loss, p.max_loss ?? p.loss]]);
  return {title: 'Loss', labels: ['loss'], rows, bars: true, unit: (v) => digits(v)};
}

// What was said to remain at each moment, beside what then did.
function remainingChart(run) {
  const begun = +new Date(run.started_at);
  const rows = (run.predictions ?? []).map((p) => {
    const truth = p.actual_seconds ?? null;
    return [new Date(begun + 1000 * (p.elapsed_seconds ?? 0)), [p.lower, p.seconds, p.upper], [truth, truth, truth]];
  }).sort((a, b) => a[0] - b[0]).filter((row, i, all) => !i || +row[0] > +all[i - 1][0]);
  // At its end nothing remained: the truth is a line down to there.
  if (rows.length && run.ended_at && +new Date(run.ended_at) > +rows.at(-1)[0]) rows.push([new Date(run.ended_at), [null, null, null], [0, 0, 0]]);
  return {title: 'Remaining time: what was said, and the truth', labels: ['said', 'true'], rows, bars: true, unit: duration, clock: true, zero: true};
}

// Of times long ago only means of minutes or hours are kept: each is drawn over all of its time.
async function gpuCharts(run, signal) {
  const begin = +new Date(run.usage?.from), end = +new Date(run.usage?.to);
  return (await tracesOf(run, signal)).map(({title, series, asked}) => {
    const times = new Map();
    series.forEach((s, k) => s.samples.forEach((p, i) => {
      const from = +new Date(p.at), to = from + 1000 * s.step_seconds;
      const put = (at) => {
        const row = times.get(at) ?? Array(series.length).fill([null, null, null]);
        row[k] = [p.min, p.mean, p.max];
        times.set(at, row);
      };
      put(Math.max(from, begin));
      if (s.step_seconds > asked.step && (i + 1 === s.samples.length || new Date(s.samples[i + 1].at) > to)) put(Math.min(to, end));
    }));
    const rows = [...times].sort(([a], [b]) => a - b).map(([at, values]) => [new Date(at), ...values]);
    const step = Math.max(...series.map((s) => s.step_seconds));
    return {title, labels: series.map((s) => plain(s.name, 30)), rows, bars: true, zero: true, bytes: series[0].unit === 'B',
      note: step > asked.step ? `means of ${duration(step)}` : null, unit: (v) => measure(v, series[0].unit)};
  });
}

function predictionsTable(run) {
  return table([
    {head: 'said', cell: (p) => p.at_fraction ? 'at ' + percent(p.at_fraction) : 'as it began'},
    {head: 'what', cell: (p) => p.kind},
    {head: 'time', right: true, cell: (p) => duration(p.seconds)}, {head: 'between', cell: between},
    {head: 'it took', right: true, cell: (p) => duration(p.actual_seconds)},
    {head: 'off by', right: true, cell: (p) => p.actual_seconds ? percent(p.seconds / p.actual_seconds - 1) : '–'},
    {head: 'held', cell: (p) => p.actual_seconds ? (p.actual_seconds >= p.lower && p.actual_seconds <= p.upper ? 'yes' : 'no') : '–'},
  ], run.predictions ?? [], {caption: 'what was predicted', silent: true, empty: 'Nothing was predicted of it.'});
}

function phaseFacts(name, phase) {
  if (!phase?.iterations) return [];
  return [[name, `${whole(phase.iterations)} iterations of ${whole(phase.samples_per_iteration)} samples in ${duration(phase.seconds)}, ` +
    `${duration(phase.seconds / phase.iterations)} each`]];
}

// Of a run that went on no more when its log ended nothing is to come: what it lacked then.
function forecastFacts(run) {
  const left = run.remaining && `${duration(run.remaining.seconds)} (${between(run.remaining)})`, step = run.pace;
  if (run.state !== 'running') return [['lacked', left && left + ' when its log ended']];
  return [['remaining', left ? left + (run.expected_end ? ', until ' + moment(run.expected_end) : '') : run.progress?.of ? 'not known yet' : null],
    ['step time', step && `${duration(step.seconds_per_iteration)} (${between(step)}), since iteration ${whole(step.since_iteration)}`]];
}

export function runFacts(run) {
  const usage = run.usage ?? {};
  return facts([
    ['state', stateOf(run)], ['message', run.message ? plain(run.message, 300) : null],
    ['done', progressOf(run)],
    ['loss', run.progress?.loss != null ? digits(run.progress.loss) : null],
    ...forecastFacts(run),
    ...phaseFacts('training', run.train), ...phaseFacts('testing', run.test),
    ['snapshots', run.snapshots ? `${run.snapshots}, ${duration(run.snapshot_seconds)} in all` : null],
    ['start-up', run.startup_seconds ? duration(run.startup_seconds) : null],
    ['begun', moment(run.started_at)], ['ended', run.ended_at ? moment(run.ended_at) : null],
    ['took', tookOf(run)],
    ['on', placeOf(run)], ['framework', plain(run.framework, 40)],
    ['GPUs', usage.absent ? plain(`not known: ${usage.absent}${usage.hint ? '. ' + usage.hint : ''}`, 300) : null],
    ['GPU use', usage.utilization_percent != null ? digits(usage.utilization_percent) + ' %' : null],
    ['power', usage.power_watts != null ? measure(usage.power_watts, 'W') : null],
    ['energy', usage.energy_joules != null ? measure(usage.energy_joules, 'J') : null],
    ['peak memory', usage.peak_memory_bytes != null ? bytes(usage.peak_memory_bytes) : null], ['log', plain(run.source, 300)]]);
}

export async function runScreen(root, signal, query, id, live) {
  const charts = timeCharts(signal);
  const draw = async () => {
    const [run, segments, progress] = await Promise.all([get('/v1/runs/' + id, {}, signal),
      tryGet(`/v1/runs/${id}/segments`, {points: MOST_POINTS}, signal), tryGet(`/v1/runs/${id}/progress`, {points: MOST_POINTS}, signal)]);
    const gpus = await gpuCharts(run, signal);
    const list = [lossChart(progress?.points ?? []), stepChart(run, segments?.segments ?? [], progress?.snapshots ?? []), remainingChart(run), ...gpus]
      .filter((c) => c.rows.length > 1);
    render(root, h('h1', null, nameOf(run), ' ', h('small', null, 'run ' + run.id)), runFacts(run),
      h('p', null, run.network ? h('a', {href: '#/network/' + encodeURIComponent(run.network)}, 'its network') : null, run.network && !exported ? ' · ' : null,
        exported ? null : h('a', {href: '#/ask?like=' + run.id}, 'how long would one like it take?')),
      list.length ? null : h('p', {class: 'quiet'}, 'The log shows no times and no losses that could be drawn.'),
      charts.element.isConnected ? h('div', {'data-key': 'charts'}) : charts.element,
      h('h2', null, 'Predictions'), predictionsTable(run),
      h('details', null, h('summary', null, 'settings'), table([{head: 'name', cell: (e) => plain(e[0], 60)}, {head: 'value', cell: (e) => plain(e[1], 200)}],
        Object.entries(run.settings ?? {}), {caption: 'settings as the log shows them'})));
    charts.show(list);
    return run;
  };
  const run = exported ? await draw() : await get('/v1/runs/' + id, {}, signal);
  if (exported) return;
  if (run.state !== 'running') return live.follow(draw);
  let drawn = await draw(), waiting = null;
  const again = (pause) => waiting ??= setTimeout(async () => {
    waiting = null;
    if (!signal.aborted) drawn = await draw().catch(() => drawn);
  }, pause);
  live.watchRunning({network: run.network || null}, (changed) => { if (changed.id === run.id) again(2000); });
  // What remains is told by the clock as well, and a watch tells no change that is time's alone.
  const timer = setInterval(() => { if (!document.hidden && drawn.state === 'running') again(0); }, LOOK);
  signal.addEventListener('abort', () => clearInterval(timer));
}
