// What monitoring traces say of a run's GPUs.
import {tryGet} from './api.js';

export const GPU_SERIES = [['gpu.utilization', 'GPU utilization'], ['gpu.power', 'GPU power'], ['gpu.clock_sm', 'GPU clock'],
  ['gpu.memory_used', 'GPU memory']];
const SERIES_POINTS = 400;

function isOf(labels, gpu) {
  const parts = labels.split(',').map((part) => part.split('='));
  if (!gpu) return !parts.some(([name]) => ['gpu', 'uuid', 'pci'].includes(name));
  return parts.some(([name, value]) => (['gpu', 'pci'].includes(name) && value === gpu) ||
    (name === 'uuid' && gpu.startsWith('GPU-') && value.startsWith(gpu)));
}

// Of an answer of /v1/series/NAME those series that are about the run's GPUs, each with the name of its GPU.
export function seriesOf(run, answer) {
  return (run.usage?.gpus ?? []).flatMap(({gpu}) => (answer?.series ?? [])
    .filter((s) => s.samples.length && isOf(s.labels, gpu)).map((s) => ({...s, name: gpu ? 'GPU ' + gpu : 'the GPU'})));
}

// The run's time in as many steps as a chart can show. etactl's export asks the same, in the same words.
function traceWindow({from, to}) {
  const second = (text) => Math.floor(Date.parse(text) / 1000);
  return {from, to, step: Math.max(1, Math.floor((second(to) - second(from)) / SERIES_POINTS))};
}

// [{title, series of the run's GPUs, step}, …], those that have samples.
export async function tracesOf(run, signal) {
  if (!run.usage?.gpus?.length || !run.usage.from) return [];
  const known = new Set((await tryGet('/v1/series', {limit: 1000}, signal))?.series.map((s) => s.name));
  const asked = traceWindow(run.usage), wanted = GPU_SERIES.filter(([name]) => known.has(name));
  const answers = await Promise.all(wanted.map(([name]) => tryGet('/v1/series/' + name, asked, signal)));
  return answers.map((answer, i) => ({title: wanted[i][1], series: seriesOf(run, answer), asked})).filter(({series}) => series.length);
}
