// Texts and times for people. Nothing here ever becomes markup: everything is set as text.

/** An element with attributes and children; texts become text nodes. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Controls, marks of direction and joining, line ends, odd spaces: what cannot be seen as itself is shown as the command shows it.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115f\u1160\u3164\uffa0\u2800]/gu;

export function visible(text) {
  return text.replace(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((i) => '\\u' + found.charCodeAt(i).toString(16).padStart(4, '0')).join(''));
}

export function duration(millis) {
  if (millis < 0) return '0 s';
  if (millis < 10_000) return (millis / 1000).toFixed(1) + ' s';
  const seconds = Math.floor(millis / 1000);
  if (seconds < 120) return seconds + ' s';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  return hours < 72 ? hours + ' h' + (minutes % 60 ? ' ' + (minutes % 60) + ' min' : '') : Math.floor(hours / 24) + ' d';
}

export function clockTime(instant) {
  const date = new Date(instant);
  const today = new Date().toDateString() === date.toDateString();
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  return today ? time : date.toLocaleDateString() + ' ' + time;
}

export function micros(value) {
  return value < 1000 ? value + ' µs' : (value / 1000).toFixed(value < 100_000 ? 1 : 0) + ' ms';
}

export function tokens(lock) {
  return lock.firstToken === lock.lastToken ? lock.lastToken : lock.firstToken + '–' + lock.lastToken;
}

export function process(holder) {
  return visible(holder.host) + ' · ' + holder.pid;
}

export function plural(count, one, many) {
  return count.toLocaleString('en') + ' ' + (count === 1 ? one : many);
}

/** What is held of it: nothing to say of a lock. */
export function part(lock) {
  return lock.kind === 'semaphore' ? 'slot ' + lock.slot : lock.kind === 'lock' ? '' : lock.shared ? 'reader' : 'writer';
}

export const KIND_WORDS = { lock: 'lock', semaphore: 'semaphore', 'read-write-lock': 'read-write lock' };

export function kind(lock) {
  return lock.kind === 'lock' ? 'lock' : KIND_WORDS[lock.kind] + ' · ' + part(lock);
}

/** The address of its page. */
export function address(lock) {
  return '#/' + lock.kind + '/' + encodeURIComponent(lock.name);
}

/** Slots by number, readers by age. */
export function inOrder(a, b) {
  return (a.slot ?? 0) - (b.slot ?? 0) || a.sinceMillis - b.sinceMillis;
}
