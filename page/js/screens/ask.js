// How long would it take? A form filled from a past run; the answer with its parts, and the same question as
// a command, a request and a line for a job script.
import {exported, get, Problem, socketPath, target, tryGet} from '../api.js';
import {facts, h, replace, table} from '../dom.js';
import {between, counted, digits, duration, measure, nameOf, percent, plain, whole} from '../format.js';

const ASK_FIELDS = [
  ['network', 'network', 'text'], ['phase', 'phase', ['total', 'train', 'test']], ['batch_size', 'batch size, all devices together', 'number'],
  ['iterations', 'iterations', 'number'], ['test_interval', 'iterations between tests (0: none)', 'number'], ['test_iterations', 'iterations of a test', 'number'],
  ['test_batch_size', 'batch size of a test', 'number'], ['framework', 'framework', 'text'], ['host', 'host', 'text'], ['device', 'device', 'text'], ['devices', 'devices', 'number']];

const ASK_KINDS = {batch_size: 'batch size', settings: 'set of settings', devices: 'number of devices'};

// What it costs beside time, each with its interval, where the history can say it.
const ASK_COSTS = [['energy', 'energy, all devices together'], ['memory', 'peak memory of a device']];

async function costsOf(question, signal) {
  const answers = await Promise.all(ASK_COSTS.map(([quantity]) => tryGet('/v1/estimate', {...question, quantity}, signal)));
  return facts(answers.map((answer, i) => answer && [ASK_COSTS[i][1], [h('span', null, measure(answer.value, answer.unit)),
    h('span', {class: 'quiet'}, ' ', between(answer, (v) => measure(v, answer.unit)), ', ',
      answer.rests_on?.runs ? 'rests on ' + counted(answer.rests_on.runs, 'run') : 'by its description')]]).filter(Boolean));
}

const quoted = (text) => /^[\w./:@+-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`;

function commandOf(question) {
  const {network, ...rest} = question;
  return 'etactl estimate ' + [...(network ? [quoted(network)] : []), ...Object.entries(rest).map(([k, v]) => `--${k.replaceAll('_', '-')} ${quoted(v)}`)].join(' ');
}

// A job is killed at its limit: that is to hold more runs than an interval does, as etad-sbatch's.
const JOB_CONFIDENCE = 0.99;

// SLURM's hours, minutes, seconds; rounded up to a minute.
function jobTime(seconds) {
  const minutes = Math.ceil(seconds / 60), two = (n) => String(n).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

function copyable(label, text) {
  const button = h('button', {type: 'button', onclick: async () => {
    await navigator.clipboard?.writeText(text);
    button.textContent = 'copied';
  }}, 'copy');
  return h('div', {class: 'copy'}, h('span', null, label), h('code', null, plain(text, 1000)), button);
}

function answerView(answer, limit, question, costs) {
  const outside = answer.extrapolates ?? [];
  return [
    h('p', {class: 'big', role: 'status'}, duration(answer.seconds), h('span', {class: 'quiet'}, ' ', between(answer), ', 90 of 100 such runs')),
    answer.kind && answer.kind !== 'seen' ? h('p', {class: 'warning'}, `This ${ASK_KINDS[answer.kind] ?? answer.kind} never ran here: the answer bridges that.`) : null,
    answer.new_here?.length ? h('p', {class: 'warning'}, `No run of any network had this ${plain(answer.new_here.map((n) => n === 'devices' ? 'number of devices' : n).join(' or '), 100)}.`) : null,
    outside.length ? h('p', {class: 'warning'}, 'Outside what was seen: ' + plain(outside.join(', ').replaceAll('_', ' '), 200)) : null,
    facts([['an iteration', duration(answer.seconds_per_iteration)], ['samples a second', digits(answer.samples_per_second)],
      ['rests on', answer.rests_on ? [counted(answer.rests_on.runs, 'run'), counted(answer.rests_on.networks, 'network'), counted(answer.rests_on.devices, 'device')].join(', ')
        : answer.model ? counted(answer.model.runs, 'run') : null],
      ['error so far', answer.estimator?.left_out_error_percent ?? answer.model?.error_percent ? digits(answer.estimator?.left_out_error_percent ?? answer.model.error_percent) + ' %' : null]]),
    costs,
    answer.parts?.length ? table([{head: 'part', cell: (p) => p.phase}, {head: 'takes', right: true, cell: (p) => duration(p.seconds)}, {head: 'between', cell: between},
      {head: 'rests on', cell: (p) => counted(p.model?.runs ?? p.runs, 'run')}], answer.parts, {caption: 'what was added up'}) : null,
    h('h2', null, 'The same elsewhere'),
    copyable('etactl', commandOf(question)),
    copyable('curl', `curl --unix-socket ${quoted(socketPath())} '${'http://localhost' + target('/v1/estimate', question)}'`),
    copyable('Slurm', '#SBATCH --time=' + jobTime(limit.upper)), h('p', {class: 'quiet'}, `The limit holds ${percent(JOB_CONFIDENCE)} of such runs.`)];
}

function problemView(problem) {
  const body = problem.body ?? {};
  return [h('p', {class: 'warning', role: 'status'}, plain(problem.message, 400)), body.hint ? h('p', null, plain(body.hint, 300)) : null,
    Array.isArray(body.candidates) ? table([{head: 'could be', cell: (c) => plain(typeof c === 'string' ? c : [c.network, c.framework, c.device, c.devices, c.host].filter((x) => x !== '' && x != null).join(', '), 120)}],
      body.candidates, {caption: 'what it could mean'}) : null];
}

// What the form shows of it. Unless something is changed the daemon takes all from the run itself, also what has no field.
function fromRun(run) {
  const s = run.settings ?? {}, tested = run.job === 'test';
  return {network: run.network, phase: tested ? 'test' : 'total', batch_size: run[tested ? 'test' : 'train']?.samples_per_iteration,
    iterations: tested ? run.test?.iterations : run.progress?.of ?? run.train?.iterations,
    test_interval: s.test_interval ?? 0, test_iterations: s.test_iter, test_batch_size: run.test?.samples_per_iteration, framework: run.framework,
    host: run.host, device: run.device, devices: run.devices};
}

// What is asked for beside a field that was changed: the daemon would else take it from the run in another way.
const ASK_BESIDE = {phase: ['batch_size', 'iterations'], devices: ['batch_size'], framework: ['host', 'device'], host: ['framework', 'device'],
  device: ['framework', 'host'], test_interval: ['test_iterations']};

export async function askScreen(root, signal, query) {
  if (exported) return replace(root, h('h1', null, 'Ask'), h('p', null, 'A file can\'t be asked: open the live page with ', h('code', null, 'etactl page'), '.'));
  const like = query.get('like');
  const [newest, wanted] = await Promise.all([tryGet('/v1/runs', {limit: 50, state: 'finished'}, signal), like ? tryGet('/v1/runs/' + like, {}, signal) : null]);
  const runs = newest?.runs ?? [];
  const names = h('datalist', {id: 'names'});  // for whoever types one: of a large history they take long
  const networks = new Map();                  // by their names as they are shown
  const fillNames = () => tryGet('/v1/networks', {limit: 200}, signal).then((a) => {
    (a?.networks ?? []).forEach((n) => networks.set(plain(n.network), n.network));
    replace(names, [...networks.keys()].map((name) => h('option', {value: name})));
  }).catch(() => {});
  const optionOf = (r) => h('option', {value: r.id}, `${r.id}: ${nameOf(r)}, batch ${whole(r.train?.samples_per_iteration)}`);
  const inputs = {}, out = h('div', {'aria-live': 'polite'});
  const past = h('select', {id: 'past', onchange: () => past.value && fill(runs.find((r) => String(r.id) === past.value))},
    h('option', {value: ''}, 'fill in by hand'), runs.map(optionOf));
  const fields = ASK_FIELDS.map(([name, label, kind]) => {
    inputs[name] = Array.isArray(kind) ? h('select', {id: name}, kind.map((v) => h('option', {value: v}, v)))
      : h('input', {id: name, type: kind, min: kind === 'number' ? 0 : null, list: name === 'network' ? 'names' : null});
    return h('div', {class: 'field'}, h('label', {for: name}, label), inputs[name]);
  });
  inputs.network.addEventListener('focus', fillNames, {once: true});
  const shown = () => Object.fromEntries(ASK_FIELDS.map(([name]) => [name, inputs[name].value.trim()]));
  let filled = {};
  const fill = (run) => {
    for (const [name, value] of Object.entries(fromRun(run))) inputs[name].value = plain(value);
    filled = shown();
  };
  const ask = async () => {
    const values = shown(), changed = Object.keys(values).filter((name) => values[name] !== filled[name]);
    const wanted = new Set(past.value ? changed.flatMap((name) => [name, ...ASK_BESIDE[name] ?? []]) : Object.keys(values));
    if (values.phase !== 'total') for (const name of ['test_interval', 'test_iterations', 'test_batch_size']) wanted.delete(name);
    // Beside a run an empty host or device is one that is not known.
    const given = ([name, value]) => wanted.has(name) && (value !== '' || (past.value && ['host', 'device', 'devices'].includes(name)));
    const question = {...(past.value ? {like: past.value} : {}), ...Object.fromEntries(Object.entries(values).filter(given))};
    if (question.network) question.network = networks.get(question.network) ?? question.network;
    try {
      const costs = h('div');  // nothing waits for them
      const [answer, limit] = await Promise.all([{}, {confidence: JOB_CONFIDENCE}].map((more) => get('/v1/estimate', {...question, ...more}, signal)));
      replace(out, answerView(answer, limit, question, costs));
      costsOf(question, signal).then((known) => replace(costs, known)).catch(() => {});
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      replace(out, problemView(error));
    }
  };
  replace(root, h('h1', null, 'Ask'), h('form', {class: 'ask', onsubmit: (e) => { e.preventDefault(); ask(); }},
    h('div', {class: 'field'}, h('label', {for: 'past'}, 'like a past run'), past), fields,
    names, h('button', null, 'ask')), out);
  const run = runs.find((r) => String(r.id) === like) ?? wanted;
  if (!run) return;
  if (!runs.includes(run)) { runs.unshift(run); past.append(optionOf(run)); }
  past.value = like;
  fill(run);
  await ask();
}
