// How a screen stays as the daemon has it, and whether it does: a word in the page's head.
import {exported, get, Problem, watch} from './api.js';

const PAUSE = 3000;  // ms between two looks at whether the history has changed

// What changes whenever anything does that a screen could show.
async function versionOf(signal) {
  const {last_commit, last_refit, status, failing, notes, models, sources, runs, history} = await get('/v1/health', {}, signal);
  return JSON.stringify([last_commit, last_refit, status, failing, notes, models, sources, runs, history]);
}

// Of one screen, until `signal` ends it. `element` says how it stands; `failed` shows what ended it.
export function liveness(element, signal, failed) {
  const state = (connected) => {
    if (signal.aborted) return;
    element.textContent = connected ? 'live' : 'The connection to the daemon is lost; trying again.';
    element.className = connected ? 'live' : 'warning';
  };
  element.textContent = element.className = '';

  // Draws, and draws again when the history has changed. What takes long is done seldom.
  async function follow(draw) {
    if (exported) return draw();
    const asked = versionOf(signal).catch(() => null);
    await draw();
    state(true);
    keep(draw, await asked);
  }
  async function keep(draw, seen) {
    for (let pause = PAUSE; ;) {
      await new Promise((resume) => setTimeout(resume, pause));
      if (signal.aborted) return;
      if (document.hidden) continue;
      const begun = performance.now();
      try {
        const version = await versionOf(signal);
        if (version !== seen) await draw();
        seen = version;
        state(true);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && error.status < 500) return failed(error);
        state(false);
        seen = null;
      }
      pause = Math.max(PAUSE, 10 * (performance.now() - begun));
    }
  }
  // `each` run that runs, at each of its changes; `begin` when the connection is there, again as well.
  function watchRunning(parameters, each, begin = () => {}) {
    watch('/v1/runs', {watch: true, state: 'running', ...parameters}, {signal, each, state: (connected) => {
      state(connected);
      if (connected) begin();
    }});
  }
  return {follow, watchRunning};
}
