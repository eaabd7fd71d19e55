// Asking the daemon. In an exported file its answers lie in the page itself.

const embedded = document.getElementById('data');
const answers = embedded ? JSON.parse(embedded.textContent) : null;

export const exported = answers !== null;
export const exportedAt = answers?.['exported_at'];
export const exportedRuns = answers?.['network_runs'];  // of each network, so that each has some
export const exportedWithout = answers?.['left_out'] ?? [];

let socket = '/run/etad/etad.sock';

// Where the daemon that answers has its socket, for commands to copy.
export const socketPath = () => socket;

export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail || body?.title || `The daemon answered with status ${status}.`);
    this.status = status;
    this.body = body ?? {};
  }
}

// As etactl encodes them, so that an exported answer is found by its target.
function encoded(value) {
  return encodeURIComponent(value).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()).replaceAll('%2F', '/');
}

export function target(path, parameters = {}) {
  const query = Object.entries(parameters).filter(([, v]) => v != null)
    .map(([k, v]) => `${k}=${encoded(v)}`).join('&');
  return query ? `${path}?${query}` : path;
}

// The answer to a GET, as an object. `signal` ends it.
export async function get(path, parameters, signal) {
  const asked = target(path, parameters);
  if (answers) {
    if (asked in answers) return answers[asked];
    throw new Problem(404, {title: 'Not in this file', detail: 'This file was exported without it: ask the daemon.'});
  }
  const response = await fetch(asked, {signal, cache: 'no-store'});
  socket = response.headers.get('Etad-Socket') ?? socket;
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}

// Like `get`, but null where there is nothing to be had.
export async function tryGet(path, parameters, signal) {
  try {
    return await get(path, parameters, signal);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return null;
  }
}

const SILENCE = 40000;  // ms: a watch tells at least every 15 s that it is there

// Calls `each` for every object of a watch, and `state` with true (connected) and false (lost, trying again),
// until `signal` ends it. Lost connections and restarted daemons heal by themselves.
export async function watch(path, parameters, {each, state, signal}) {
  let pause = 500;
  while (!signal.aborted) {
    const attempt = new AbortController(), end = () => attempt.abort();
    signal.addEventListener('abort', end);
    let silence = setTimeout(end, SILENCE);
    try {
      const response = await fetch(target(path, parameters), {signal: attempt.signal, cache: 'no-store'});
      if (!response.ok) throw new Problem(response.status, await response.json().catch(() => null));
      state(true);
      pause = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let pending = '';
      for (let {value, done} = await reader.read(); !done; {value, done} = await reader.read()) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE);
        const lines = (pending + value).split('\n');
        pending = lines.pop();
        for (const line of lines) if (line) each(JSON.parse(line));
      }
    } catch (error) {
      if (signal.aborted) return;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
    }
    if (signal.aborted) return;
    state(false);
    await new Promise((resume) => setTimeout(resume, pause));
    pause = Math.min(2 * pause, 10000);
  }
}
