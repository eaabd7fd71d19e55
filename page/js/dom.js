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
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// What an element shows, made anew: what is the same stays, with its focus, its scrolling and what was typed or
// unfolded. Rows and cards are told apart by their data-key; what has data-keep looks after itself.
export function render(element, ...children) {
  const focused = document.activeElement;
  changeChildren(element, append(h('div'), children));
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({preventScroll: true});
}

function changeChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map((child) => child.dataset.key)), keyed = new Map();
  for (const child of [...old.children]) {
    const key = child.dataset.key;
    if (key != null && wanted.has(key)) keyed.set(key, child);
    else if (key != null) child.remove();
  }
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const key = next.dataset?.key, same = key != null ? keyed.get(key) : at?.dataset?.key != null ? null : at;
    if (!same) { old.insertBefore(next, at); continue; }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    change(same, next);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

function change(old, fresh) {
  if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  if (old.dataset.keep != null) return;
  for (const {name, value} of [...fresh.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const {name} of [...old.attributes]) if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  if (old.unfold) {
    old.unfold = fresh.unfold;
    if (old.children.length > 1) append(fresh, old.unfold());
  }
  changeChildren(old, fresh);
}

// columns: [{head, cell(row) -> text or element, right}]; key(row): what tells rows apart when they change;
// silent: a heading above already says what the caption does
export function table(columns, rows, {caption, empty = 'nothing yet', small = false, silent = false, key = null} = {}) {
  if (!rows.length) return h('p', {class: 'quiet'}, empty);
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption ?? 'table'},
    h('table', {class: small ? 'small' : null}, caption ? h('caption', {class: silent ? 'unseen' : null}, caption) : null,
      h('thead', null, h('tr', null, columns.map((c) => h('th', {scope: 'col', class: c.right ? 'right' : null}, c.head)))),
      h('tbody', null, rows.map((row) => h('tr', {'data-key': key?.(row)},
        columns.map((c) => h('td', {class: c.right ? 'right' : null}, c.cell(row) ?? '–')))))));
}

// What is closed until asked for, and made only then: `make()` gives its content.
export function unfolding(title, make) {
  const box = h('details', {class: 'data'}, h('summary', null, title));
  box.unfold = make;
  box.addEventListener('toggle', () => { if (box.open && box.children.length === 1) append(box, box.unfold()); });
  return box;
}

// The numbers behind a chart.
export function dataTable(columns, rows, {title = 'as a table', most = 500} = {}) {
  const step = Math.max(1, Math.ceil(rows.length / most));
  return unfolding(title, () => [table(columns, rows.filter((_, i) => i % step === 0), {small: true, caption: 'the data of the chart'}),
    step > 1 ? h('p', {class: 'quiet'}, `every ${step}th of ${rows.length} rows`) : null]);
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
