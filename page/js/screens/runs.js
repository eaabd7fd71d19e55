// All runs, newest first, a page at a time: a history of a hundred thousand opens as quickly as one of ten.
import {h, link, render, table} from '../dom.js';
import {exported, get} from '../api.js';
import {moment, nameOf, plain, whole} from '../format.js';
import {reachedOf, stateOf, tookOf} from './now.js';

const RUN_COLUMNS = [
  {head: 'id', right: true, cell: (r) => h('a', {href: '#/run/' + r.id}, r.id)},
  {head: 'network', cell: (r) => link('#/run/' + r.id, nameOf(r))},
  {head: 'state', cell: stateOf},
  {head: 'iterations', right: true, cell: (r) => whole(reachedOf(r) ?? r.train?.iterations)},
  {head: 'batch', right: true, cell: (r) => whole(r.train?.samples_per_iteration ?? r.test?.samples_per_iteration)},
  {head: 'framework', cell: (r) => plain(r.framework, 24)},
  {head: 'device', cell: (r) => h('span', {class: 'when'}, plain(r.devices > 1 ? `${r.devices} × ${r.device || 'unknown'}` : r.device || '–', 30))},
  {head: 'started', cell: (r) => h('span', {class: 'when'}, moment(r.started_at))},
  {head: 'took', right: true, cell: tookOf}];

const RUNS_PAGE = 100;

export function runsScreen(root, signal, query, name, live) {
  const filter = {network: query.get('network') || null, state: query.get('state') || null};
  const network = h('input', {name: 'network', value: filter.network ?? '', placeholder: 'network', 'aria-label': 'network'});
  const state = h('select', {name: 'state', 'aria-label': 'state'}, ['', 'running', 'finished', 'stopped', 'failed', 'lost'].map(
    (s) => h('option', {value: s, selected: s === (filter.state ?? '')}, s || 'any state')));
  const form = exported ? null : h('form', {class: 'row', onsubmit: (e) => {
    e.preventDefault();
    location.hash = '#/runs?' + new URLSearchParams({network: network.value, state: state.value});
  }}, network, state, h('button', null, 'show'));
  const list = h('div'), more = h('p');
  root.append(...[h('h1', null, 'Runs'), form, list, more].filter(Boolean));
  let wanted = RUNS_PAGE;  // as many as were asked for
  const draw = async () => {
    const rows = [];
    let next = null;
    do {
      const answer = await get('/v1/runs', exported ? {limit: 200} : {...filter, limit: Math.min(1000, wanted - rows.length), cursor: next}, signal);
      rows.push(...answer.runs);
      next = answer.next;
    } while (next && rows.length < wanted && !exported);
    render(list, table(RUN_COLUMNS, rows, {caption: 'runs, newest first', silent: true, empty: 'No run fits.', key: (r) => r.id}));
    render(more, next && !exported ? h('button', {type: 'button', onclick: () => { wanted += RUNS_PAGE; draw(); }}, 'older ones') : null);
  };
  return live.follow(draw);
}
