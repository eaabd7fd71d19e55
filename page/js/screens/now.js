// What is running: how far, how long still, when by the clock, and whether all is well with it.
import {badge, facts, h, link, render, replace, table} from '../dom.js';
import {exported, get, tryGet} from '../api.js';
import {between, counted, digits, duration, endOf, moment, nameOf, percent, percentDone, placeOf, plain, whole} from '../format.js';
import {spark} from '../plot.js';
import {seriesOf} from '../traces.js';

const MOST_RUNNING = 1000;  // as many as a watch tells
export const LOOK = 10000;  // ms between two looks at what runs: a watch tells no change that is time's alone
const STATES_OVER = ['finished', 'stopped', 'failed', 'lost'];

export function stateOf(run) {
  if (run.state !== 'running') {
    const kinds = {finished: 'good', failed: 'bad', lost: 'bad', stopped: 'warn'};
    return badge(run.state, kinds[run.state] ?? 'plain');
  }
  if (run.stalled) return badge('stalled', 'bad');
  if (run.anomaly) return badge('slow: ' + percent(run.anomaly.slowdown - 1) + ' longer', 'warn');
  return badge('running', 'busy');
}

// The iteration it reached. A timing tells none: of one that is over all that there were.
export const reachedOf = (run) => run.progress?.iteration ?? (run.state === 'finished' ? run.progress?.of : null);

// How far it is: "62 %, 6,200 of 10,000". Where no end is known, or no iteration was told, the number alone.
export function progressOf(run) {
  const {iteration, of} = run.progress ?? {}, running = run.state === 'running';
  if (of && (iteration != null || running)) return `${percentDone(Math.min(1, iteration / of))}, ${whole(iteration ?? 0)} of ${whole(of)}`;
  const count = reachedOf(run);
  if (running) return `${counted(count ?? 0, 'iteration')}, its end is not known`;
  return count == null ? null : counted(count, 'iteration');
}

function progressBar(run) {
  const text = progressOf(run), {iteration, of} = run.progress ?? {};
  if (!of) return h('p', {class: 'quiet'}, text);
  return h('div', {class: 'progress', title: text}, h('progress', {max: 1, value: Math.min(1, iteration / of), 'aria-label': 'done'}), h('span', null, text));
}

function timeLeft(run) {
  const left = run.remaining;
  if (left) return h('p', {class: 'big'}, duration(left.seconds), ' left', h('span', {class: 'quiet'}, between(left)));
  return run.progress?.of ? h('p', {class: 'quiet'}, 'remaining time not known yet') : null;
}

function card(run) {
  return h('article', {class: 'card', 'data-key': run.id, 'data-run': run.id},
    h('h2', null, h('a', {href: '#/run/' + run.id}, nameOf(run)), ' ', stateOf(run)),
    progressBar(run),
    timeLeft(run),
    facts([
      ['ends', run.expected_end ? endOf(run.expected_end) : null],
      ['step', run.pace ? duration(run.pace.seconds_per_iteration) : null],
      ['loss', run.progress?.loss != null ? digits(run.progress.loss) : null],
      ['batch', run.train?.samples_per_iteration ? whole(run.train.samples_per_iteration) : null],
      ['begun', moment(run.started_at)], ['framework', plain(run.framework, 30)],
      ['on', placeOf(run)]]),
    h('div', {class: 'usage', 'data-usage': run.id, 'data-keep': true}));
}

// The use of its GPUs in the last quarter of an hour, where a trace says it.
async function fillUsage(box, run, signal) {
  const full = await tryGet('/v1/runs/' + run.id, {}, signal);
  if (!full?.usage?.gpus?.some((gpu) => gpu.utilization_percent != null)) return;
  const from = new Date(Date.now() - 900000).toISOString();
  const answer = await tryGet('/v1/series/gpu.utilization', {from, step: 15}, signal);
  render(box, seriesOf(full, answer).map((s) => {
    const values = s.samples.map((p) => p.mean), last = digits(values.at(-1), 2) + '\u00a0%';
    const name = plain(s.name, 40), label = `${name}: its use in the last 15 minutes, now ${last}`;
    return h('div', {class: 'use'}, h('span', {class: 'quiet'}, name), spark(values, label), h('span', null, last));
  }));
}

export async function nowScreen(root, signal, query, name, live) {
  const runs = new Map();
  const cards = h('div', {class: 'cards'}), over = h('div');
  replace(root, h('h1', null, 'Now'), cards, h('h2', null, 'Just over'), over);

  const draw = () => render(cards, runs.size ? [...runs.values()].sort((a, b) => b.id - a.id).map(card)
    : h('p', {class: 'none'}, 'Nothing is running. ', h('a', {href: '#/runs'}, 'What was')));
  const showUsage = (only) => runs.forEach((run) => {
    const box = cards.querySelector(`[data-usage="${run.id}"]`);
    if (box && (!only || run.id === only)) fillUsage(box, run, signal).catch(() => {});
  });
  const ended = new Map();
  const drawOver = () => render(over, table([
    {head: 'run', cell: (r) => link('#/run/' + r.id, nameOf(r))}, {head: 'state', cell: stateOf},
    {head: 'ended', cell: (r) => h('span', {class: 'when'}, moment(r.ended_at))}, {head: 'took', right: true, cell: tookOf}],
  [...ended.values()].sort((a, b) => (a.ended_at ?? '') < (b.ended_at ?? '') ? 1 : -1).slice(0, 8),
  {caption: 'runs that are over', silent: true, empty: exported ? 'none' : 'none in the last 30 days', key: (r) => r.id}));
  // When the watch last told of each run: while an answer is on its way, that is newer.
  const told = new Map();
  const ask = async (parameters) => {
    const asked = performance.now(), newer = (id) => told.get(id) >= asked;
    const answer = await get('/v1/runs', exported ? {limit: 200} : parameters, signal);
    return {newer, next: answer.next, found: answer.runs.filter((run) => !newer(run.id))};
  };
  const lookAtRunning = async () => {
    const {newer, next, found} = await ask({state: 'running', limit: MOST_RUNNING}), there = new Set(found.map((run) => run.id));
    // Where more run than an answer holds, the watch tells each user's share.
    if (!next) for (const id of [...runs.keys()]) if (!there.has(id) && !newer(id)) runs.delete(id);
    found.filter((run) => run.state === 'running').forEach((run) => runs.set(run.id, run));
    draw();
  };
  // The newest by their ids need not be those that ended last: an import is new, and may be of last year.
  const lookAtOver = async () => {
    const answers = await Promise.all(STATES_OVER.map((state) => ask({state, since: '30d', limit: 100})));
    answers.flatMap((answer) => answer.found).filter((run) => run.state !== 'running').forEach((run) => ended.set(run.id, run));
    drawOver();
  };
  await Promise.all([lookAtRunning(), lookAtOver()]);
  showUsage();
  if (exported) return;
  const every = (pause, act) => {
    const timer = setInterval(act, pause);
    signal.addEventListener('abort', () => clearInterval(timer));
  };
  every(30000, () => showUsage());
  every(LOOK, () => document.hidden || lookAtRunning().catch(() => {}));
  // A frame holds what came since the last one. What ended while the connection was lost, no watch tells.
  let drawing = null;
  const changed = () => drawing ??= requestAnimationFrame(() => {
    drawing = null;
    draw();
    drawOver();
  });
  live.watchRunning({}, (run) => {
    const fresh = !runs.has(run.id), [here, there] = run.state === 'running' ? [runs, ended] : [ended, runs];
    told.set(run.id, performance.now());
    here.set(run.id, run);
    there.delete(run.id);
    changed();
    if (fresh) requestAnimationFrame(() => showUsage(run.id));
  }, () => {
    lookAtRunning().then(() => showUsage()).catch(() => {});
    lookAtOver().catch(() => {});
  });
}

// From its first to its last line by the clock; of a log that shows none, or whose clock was set back, what was measured.
export function tookOf(run) {
  if (run.wall_seconds != null) return duration(run.wall_seconds);
  const measured = (run.train?.seconds ?? 0) + (run.test?.seconds ?? 0);
  return run.state !== 'running' && measured > 0 ? duration(measured) + ' measured' : null;
}
