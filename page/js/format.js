// Numbers, times and names as people read them. What comes from a log is text, never markup, and may be
// hostile: it passes `plain` on its way to the screen.

const NBSP = '\u00a0';

// Without what would rearrange or hide the text around it: control characters, and those that change the
// direction of writing. Cut to `most` characters.
export function plain(text, most = 120) {
  const clean = String(text ?? '').slice(0, most + 1)
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
  return clean.length > most ? clean.slice(0, most - 1) + '…' : clean;
}

const FORMATS = [];  // by their decimals: making one takes as long as using it a hundred times

function rounded(value, decimals) {
  return (FORMATS[decimals] ??= new Intl.NumberFormat('en', {maximumFractionDigits: decimals})).format(value);
}

export function digits(value, count = 3) {
  if (value == null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  if (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4) return value.toPrecision(count);
  const decimals = Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value))));
  return rounded(value, decimals);
}

export function whole(value) {
  return value == null ? '–' : rounded(value, 0);
}

// "1 run", "1,234 runs".
export function counted(count, noun) {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function percent(fraction, count = 2) {
  return fraction == null ? '–' : digits(100 * fraction, count) + NBSP + '%';
}

// How much is done: rounded down, for what is not over is not done.
export function percentDone(fraction) {
  return Math.floor(100 * fraction) + NBSP + '%';
}

// "51.2 ms", "42.3 s", "8 min 32 s", "3 h 12 min", "2 d 5 h".
export function duration(seconds) {
  if (seconds == null || !Number.isFinite(seconds)) return '–';
  if (seconds < 0) return '-' + duration(-seconds);
  if (seconds === 0) return '0' + NBSP + 's';
  if (seconds < 0.001) return digits(seconds * 1e6) + NBSP + 'µs';
  if (seconds < 1) return digits(seconds * 1e3) + NBSP + 'ms';
  if (seconds < 60) return digits(seconds) + NBSP + 's';
  const [big, small, size, per] = seconds < 3600 ? ['min', 's', 60, 1]
    : seconds < 86400 ? ['h', 'min', 3600, 60] : ['d', 'h', 86400, 3600];
  const whole = Math.round(seconds / per);
  const upper = Math.floor(whole * per / size), lower = whole - upper * (size / per);
  return upper + NBSP + big + (lower ? ' ' + lower + NBSP + small : '');
}

export function between(value, show = duration) {
  return value?.lower == null ? '' : show(value.lower) + ' to ' + show(value.upper);
}

// An instant in the reader's own time zone.
export function moment(rfc3339) {
  if (!rfc3339) return '–';
  const at = new Date(rfc3339), two = (n) => String(n).padStart(2, '0');
  if (Number.isNaN(at.getTime())) return plain(rfc3339, 40);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

// When something ends, by the clock: "15:42", of another day with its date.
export function endOf(rfc3339) {
  const text = moment(rfc3339), today = moment(new Date().toISOString());
  return text.slice(0, 10) === today.slice(0, 10) ? text.slice(11) : text;
}

// To the second: "2026-11-20 12:00:07".
export function instant(date) {
  return moment(date) + ':' + String(date.getSeconds()).padStart(2, '0');
}

// How the ticks of a time axis are written: days, or the hour where all lies within two days.
export function tickTime(times) {
  const span = Math.max(...times) - Math.min(...times);
  return (v) => {
    const text = moment(new Date(v).toISOString());
    return span < 600000 ? text.slice(11) + ':' + String(new Date(v).getSeconds()).padStart(2, '0') : span < 2 * 86400000 ? text.slice(11) : text.slice(5, 10);
  };
}

export function bytes(value) {
  if (value == null) return '–';
  let unit = 0;
  while (value >= 1024 && unit < 4) { value /= 1024; ++unit; }
  return digits(value) + NBSP + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
}

// "gpu.power" in watts: with the prefix that keeps it short.
export function measure(value, unit) {
  if (value == null) return '–';
  if (unit === 'B') return bytes(value);
  if (unit === 's') return duration(value);
  const steps = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const [size, prefix] = steps.find(([s]) => Math.abs(value) >= s && unit && unit !== '%') ?? [1, ''];
  return digits(value / size) + (unit ? NBSP + prefix + unit : '');
}

// Its network's name, or the end of its log's.
export function nameOf(run) {
  const log = (run.source ?? '').split('/').at(-1).replace(/\.\w{1,5}$/, '');
  return plain(run.network || (log.length > 40 ? '…' + log.slice(-39) : log) || 'without a name', 60);
}

// "2 × Tesla K80 of gpu1".
export function placeOf(run) {
  return plain(`${run.devices > 1 ? run.devices + ' × ' : ''}${run.device || 'unknown device'}${run.host ? ' of ' + run.host : ''}`, 90);
}
