// Where the history comes from: the followed files, and what is to be done where one says nothing.
import {get} from '../api.js';
import {badge, facts, h, replace, table} from '../dom.js';
import {bytes, duration, moment, plain, whole} from '../format.js';

function nextStep(s) {
  if (s.hint) return s.hint;
  if (/permission/.test(s.state ?? '')) return 'give the daemon’s user the right to read it: docs/operations.md';
  if (s.id != null && !s.format && s.lines > 0) return `no format fits: etactl check-rules --try ${plain(s.path, 60)}`;
  if (s.lost_bytes > 0) return 'it was truncated before it was read: rotate by renaming';
  return '';
}

function sourceState(s) {
  if (s.last_error || /permission|can't|cannot/.test(s.state ?? '')) return badge(plain(s.state || s.last_error, 80), 'bad');
  if (s.id == null || (!s.format && s.lines > 0)) return badge(plain(s.state, 80), 'warn');
  return badge(plain(s.state, 80), s.state === 'following' ? 'busy' : 'plain');
}

export async function sourcesScreen(root, signal) {
  const [health, answer] = await Promise.all([get('/v1/health', {}, signal), get('/v1/sources', {limit: 200}, signal)]);
  replace(root, h('h1', null, 'Sources'),
    h('p', null, health.status === 'ok' ? badge('all is well', 'good') : badge(health.status, 'bad')),
    (health.failing ?? []).map((f) => h('p', {class: 'warning'}, plain(`${f.part}: ${f.why}`, 300), f.hint ? h('span', {class: 'quiet'}, ' ', plain(f.hint, 300)) : null)),
    facts([['followed', whole(health.sources?.followed)], ['not yet read', `${bytes(health.lag?.bytes)}, for ${duration(health.lag?.seconds)}`],
      ['last commit', moment(health.last_commit)], ['runs', whole(health.history?.runs)], ['history', bytes(health.history?.bytes)], ['version', plain(health.version, 20)]]),
    table([{head: 'path', cell: (s) => h('span', {class: 'path'}, plain(s.path, 200))}, {head: 'state', cell: sourceState}, {head: 'format', cell: (s) => plain(s.format || 'none', 30)},
      {head: 'lag', right: true, cell: (s) => bytes(Math.max(0, (s.size ?? 0) - (s.offset ?? 0)))},
      {head: 'lines', right: true, cell: (s) => whole(s.lines)}, {head: 'matched', right: true, cell: (s) => whole(s.matched)},
      {head: 'lost', right: true, cell: (s) => s.lost_bytes ? bytes(s.lost_bytes) : '0'}, {head: 'read', cell: (s) => moment(s.read_at)},
      {head: 'what to do', cell: nextStep}], answer.sources, {caption: 'followed files and imports', silent: true, empty: 'No file is followed: see /etc/etad/etad.toml.'}));
}
