// Where the history comes from: the followed files, and what is to be done where one says nothing.
import {get} from '../api.js';
import {badge, facts, h, render, table, unfolding} from '../dom.js';
import {bytes, counted, duration, moment, plain, whole} from '../format.js';

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

const SOURCE_COLUMNS = [
  {head: 'path', cell: (s) => h('span', {class: 'path'}, plain(s.path, 200))}, {head: 'state', cell: sourceState}, {head: 'format', cell: (s) => plain(s.format || 'none', 30)},
  {head: 'lag', right: true, cell: (s) => bytes(Math.max(0, (s.size ?? 0) - (s.offset ?? 0)))},
  {head: 'lines', right: true, cell: (s) => whole(s.lines)}, {head: 'matched', right: true, cell: (s) => whole(s.matched)}, {head: 'unmatched', right: true, cell: (s) => whole(s.unmatched)},
  {head: 'lost', right: true, cell: (s) => s.lost_bytes ? bytes(s.lost_bytes) : '0'}, {head: 'read', cell: (s) => h('span', {class: 'when'}, moment(s.read_at))}];
const SOURCES_WITH_STEP = [...SOURCE_COLUMNS.slice(0, 2), {head: 'what to do', cell: (s) => h('span', {class: 'path'}, nextStep(s))}, ...SOURCE_COLUMNS.slice(2)];

const MOST_SOURCES = 1000;

// What may be meant so and otherwise is a mistake: the first of them, and what to do.
function noteView(note) {
  const subjects = note.subjects ?? [], first = subjects.slice(0, 5), more = note.count - first.length;
  return h('div', {class: 'note'}, h('p', null, badge(plain(note.part, 40), 'warn'), ` ${whole(note.count)} ${plain(note.why, 300)}`),
    h('ul', null, first.map((subject) => h('li', {class: 'path'}, plain(subject, 200))), subjects.length && more > 0 ? h('li', null, `and ${whole(more)} more`) : null),
    note.hint ? h('p', {class: 'quiet'}, plain(note.hint, 300)) : null);
}

export function sourcesScreen(root, signal, query, name, live) {
  return live.follow(async () => {
    const [health, answer] = await Promise.all([get('/v1/health', {}, signal), get('/v1/sources', {limit: MOST_SOURCES}, signal)]);
    const notes = health.notes ?? [];
    const stuck = answer.sources.filter(nextStep), well = answer.sources.filter((s) => !nextStep(s));
    const followed = well.filter((s) => s.kind !== 'import'), imports = well.filter((s) => s.kind === 'import');
    const list = (columns, rows, caption, empty) => table(columns, rows, {caption, silent: true, empty, key: (s) => s.path + ' ' + s.id});
    render(root, h('h1', null, 'Sources'),
      h('p', null, health.status === 'ok' ? badge(notes.length ? 'ok' : 'all is well', 'good') : badge(health.status, 'bad')),
      (health.failing ?? []).map((f) => h('p', {class: 'warning'}, plain(`${f.part}: ${f.why}`, 300), f.hint ? h('span', {class: 'quiet'}, ' ', plain(f.hint, 300)) : null)),
      notes.map(noteView),
      facts([['followed', whole(health.sources?.followed)], ['not yet read', health.lag?.bytes ? `${bytes(health.lag.bytes)}, for ${duration(health.lag.seconds)}` : bytes(0)],
        ['last commit', health.last_commit ? moment(health.last_commit) : null], ['runs', whole(health.history?.runs)], ['history', bytes(health.history?.bytes)], ['version', plain(health.version, 20)]]),
      stuck.length ? [h('h2', null, 'Wants attention'), list(SOURCES_WITH_STEP, stuck, 'files that something is to be done about')] : null,
      h('h2', null, 'Followed'), list(SOURCE_COLUMNS, followed, 'followed files', 'No file is followed: see /etc/etad/etad.toml.'),
      imports.length ? [h('h2', null, 'Imported'), unfolding(counted(imports.length, 'import'), () => [list(SOURCE_COLUMNS, imports, 'imports')])] : null,
      answer.next ? h('p', {class: 'quiet'}, `The first ${whole(MOST_SOURCES)}; `, h('code', null, 'etactl sources'), ' lists all.') : null);
  });
}
