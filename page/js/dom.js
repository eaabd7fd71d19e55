// Elements, made of text and other elements: nothing is ever parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'path', 'circle', 'line', 'rect', 'text', 'g', 'defs', 'pattern', 'title', 'polygon']);

// h('a', {href: '#/now', class: 'x', onclick: f}, 'text', element, null, [more])
export function h(tag, attributes, ...children) {
  const svg = SVG_TAGS.has(tag) && !(tag === 'title' && attributes?.html);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) element.append(child);
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// columns: [{head, cell(row) -> text or element, right}]; silent: a heading above already says what the caption does
export function table(columns, rows, {caption, empty = 'nothing yet', small = false, silent = false} = {}) {
  if (!rows.length) return h('p', {class: 'quiet'}, empty);
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption ?? 'table'},
    h('table', {class: small ? 'small' : null}, caption ? h('caption', {class: silent ? 'unseen' : null}, caption) : null,
      h('thead', null, h('tr', null, columns.map((c) => h('th', {scope: 'col', class: c.right ? 'right' : null}, c.head)))),
      h('tbody', null, rows.map((row) => h('tr', null,
        columns.map((c) => h('td', {class: c.right ? 'right' : null}, c.cell(row) ?? '–')))))));
}

// The numbers behind a chart: closed until asked for, made only then.
export function dataTable(columns, rows, {title = 'as a table', most = 500} = {}) {
  const box = h('details', {class: 'data'}, h('summary', null, title));
  box.addEventListener('toggle', () => {
    if (box.open && box.children.length === 1) {
      const step = Math.max(1, Math.ceil(rows.length / most));
      box.append(table(columns, rows.filter((_, i) => i % step === 0), {small: true, caption: 'the data of the chart'}));
      if (step > 1) box.append(h('p', {class: 'quiet'}, `every ${step}th of ${rows.length} rows`));
    }
  });
  return box;
}

// Whether what is shown is live: the state of a watch, for `watch` of api.js.
export function liveStatus() {
  const element = h('p', {class: 'quiet', role: 'status'}, 'connecting…');
  const show = (connected) => {
    element.textContent = connected ? 'live' : 'The connection to the daemon is lost; trying again.';
    element.className = connected ? 'quiet' : 'warning';
  };
  return {element, show};
}

export function facts(pairs) {
  return h('dl', {class: 'facts'}, pairs.filter(([, value]) => value != null && value !== '').map(
    ([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
}

// A link; a short name stays on one line, for the tables can be scrolled.
export function link(href, text) {
  return h('a', {href, class: text.length <= 24 ? 'when' : null}, text);
}

// State beside colour: a mark that can be read without it.
export function badge(text, kind) {
  const mark = {good: '●', bad: '✕', warn: '▲', busy: '▶', plain: '○'}[kind] ?? '○';
  return h('span', {class: 'badge ' + kind}, h('span', {'aria-hidden': 'true'}, mark + ' '), text);
}
