// Which screen is shown: the part of the address behind '#'. Each screen is given a signal that ends what it
// began when the next one comes.
import {exported, exportedAt, exportedWithout} from './api.js';
import {h, replace} from './dom.js';
import {moment, plain} from './format.js';
import {liveness} from './live.js';
import {hatching} from './plot.js';
import {askScreen} from './screens/ask.js';
import {networkScreen} from './screens/network.js';
import {nowScreen} from './screens/now.js';
import {recordScreen} from './screens/record.js';
import {runScreen} from './screens/run.js';
import {runsScreen} from './screens/runs.js';
import {sourcesScreen} from './screens/sources.js';

const SCREENS = {now: nowScreen, runs: runsScreen, run: runScreen, network: networkScreen, ask: askScreen, record: recordScreen, sources: sourcesScreen};
const LINKS = [['now', 'Now'], ['runs', 'Runs'], ['network', 'Networks'], ['ask', 'Ask'], ['record', 'Track record'], ['sources', 'Sources']];

const main = h('main', {id: 'main', tabindex: -1});
const nav = h('nav', {'aria-label': 'screens'}, LINKS.map(([name, text]) => h('a', {href: '#/' + name, 'data-name': name}, text)));
const without = exportedWithout.map((part) => plain(part)).join(', ');
const status = h('span', {role: 'status', title: without || null}, exported ? 'as of ' + moment(exportedAt) + (without ? `; too large to hold all: without ${plain(without, 80)}` : '') : null);
let current = new AbortController();

async function show() {
  current.abort();
  current = new AbortController();
  const [path, query] = (location.hash.slice(2) || 'now').split('?');
  const [name, ...rest] = path.split('/');
  const screen = SCREENS[name] ?? nowScreen, signal = current.signal;
  for (const link of nav.children) {
    if (link.dataset.name === (name === 'run' ? 'runs' : name)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  main.setAttribute('aria-busy', 'true');
  const place = replace(h('div'));
  replace(main, place);
  const failed = (error) => replace(place, h('p', {class: 'warning', role: 'alert'}, plain(error.message, 400)),
    error.body?.hint ? h('p', null, plain(error.body.hint, 400)) : null, h('p', null, h('button', {onclick: show}, 'try again')));
  try {
    await screen(place, signal, new URLSearchParams(query), decodeURIComponent(rest.join('/')),
      exported ? {follow: (draw) => draw()} : liveness(status, signal, failed));
  } catch (error) {
    if (signal.aborted) return;
    failed(error);
  }
  main.removeAttribute('aria-busy');
  main.dataset.shown = location.hash;
  document.title = 'etad: ' + (place.querySelector('h1')?.textContent ?? '');
}

replace(document.getElementById('app'), h('a', {href: '#main', class: 'skip', onclick: (e) => { e.preventDefault(); main.focus(); }}, 'to the content'),
  h('header', null, h('strong', null, 'etad'), nav, status), main, hatching());
addEventListener('hashchange', show);
show();
