// The page of one name: who holds it, who waits, who voted for it, and what this console has seen of it.
import { breakDialog } from './dialog.js';
import { clockTime, duration, el, plural, process, tokens, visible } from './format.js';
import { bar } from './table.js';

const KINDS = {
  found: 'was held when this console began to look',
  taken: 'taken',
  released: 'released before its lease was over',
  ended: 'over: its lease had run out',
  broken: 'broken',
  perhaps_broken: 'perhaps broken',
};

export class LockPage {
  #root;
  #feed;
  #session;
  #name = null;
  #seenId = '';
  #live = null;

  constructor(root, feed, session) {
    this.#root = root;
    this.#feed = feed;
    this.#session = session;
  }

  show(name) {
    this.#name = name;
    this.#seenId = '';
    this.#root.replaceChildren();
    this.holder = el('div', { class: 'card', id: 'holder' });
    this.queue = el('div', { class: 'card', id: 'queue' });
    this.votes = el('div', { class: 'card', id: 'votes', hidden: true });
    this.history = el('div', { class: 'card', id: 'history' });
    this.button = this.#session.readOnly ? null : el('button', { type: 'button', class: 'danger', id: 'break', hidden: true }, 'Break…');
    this.button?.addEventListener('click', () => breakDialog(this.#feed.locks.get(this.#name), this.#feed, this.#session));
    this.#root.append(
      el('div', { class: 'toolbar' },
        el('a', { href: '#/', class: 'back' }, '← All locks'),
        el('h1', { id: 'title-lock', class: 'mono wrap' }, visible(name)), this.button),
      el('div', { class: 'cards' }, this.holder, this.queue, this.votes, this.history));
    this.refresh();
  }

  /** The locks have changed. */
  refresh() {
    const lock = this.#feed.locks.get(this.#name);
    if (this.button) this.button.hidden = !lock;
    this.#live = null;
    this.#holderCard(lock);
    this.#queueCard(lock);
    this.#votesCard(lock);
    const id = lock ? lock.id : 'free';
    if (id !== this.#seenId) {
      this.#seenId = id;
      this.#loadHistory();
    }
    this.tick();
  }

  #holderCard(lock) {
    if (!lock) {
      this.holder.replaceChildren(el('h2', {}, this.#feed.loaded ? 'Free' : 'Asking the store…'),
        el('p', { class: 'muted' }, this.#feed.loaded ? 'Nobody holds this lock now.' : ''));
      return;
    }
    const age = el('span');
    const left = el('span');
    const line = el('i');
    this.#live = { lock, age, left, line, waits: [] };
    const rows = [
      ['Description', visible(lock.holder.description) || '–'],
      ['Host', visible(lock.holder.host)],
      ['Process', String(lock.holder.pid)],
      ['Since', el('span', {}, clockTime(lock.since) + ' (', age, ')')],
      ['Tokens', el('span', { class: 'mono' }, tokens(lock))],
      ['Remaining', el('span', {}, left, ' unless renewed')],
    ];
    this.holder.replaceChildren(el('h2', {}, 'Held'),
      el('div', { class: 'bar wide', 'aria-hidden': 'true' }, line),
      el('dl', {}, ...rows.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)])));
  }

  #queueCard(lock) {
    const waiters = lock?.waiters;
    this.queue.replaceChildren(el('h2', {}, 'Queue'));
    if (!lock) {
      this.queue.append(el('p', { class: 'muted' }, 'The queue of a free lock is empty.'));
    } else if (waiters === undefined) {
      this.queue.append(el('p', { class: 'muted' }, 'This store keeps no queue: whoever waits asks now and then.'));
    } else if (waiters.length === 0) {
      this.queue.append(el('p', { class: 'muted' }, 'Nobody waits.'));
    } else {
      this.queue.append(el('p', { class: 'muted' }, plural(waiters.length, 'process waits', 'processes wait') + ', the first in line on top.'),
        el('ol', { class: 'queue' }, ...waiters.map((waiter) => {
          const since = el('span', { class: 'muted' });
          if (waiter.since) this.#live.waits.push([since, Date.parse(waiter.since)]);
          return el('li', {}, el('div', {}, visible(waiter.description) || '–'), el('div', { class: 'muted' }, process(waiter), ' ', since));
        })));
    }
  }

  #votesCard(lock) {
    const votes = lock?.votes;
    this.votes.hidden = !votes;
    if (!votes) return;
    const row = (node, granted) => el('li', { class: granted ? 'yes' : 'no' },
      el('span', { class: 'mono' }, visible(node)), el('span', {}, granted ? 'granted' : 'no vote, or no answer'));
    this.votes.replaceChildren(el('h2', {}, `Votes: ${votes.granted} of ${votes.nodes}`),
      el('ul', { class: 'votes' }, ...votes.grantedBy.map((node) => row(node, true)), ...votes.others.map((node) => row(node, false))));
  }

  async #loadHistory() {
    const name = this.#name;
    const reply = await fetch('api/history?name=' + encodeURIComponent(name)).catch(() => null);
    if (!reply || !reply.ok || name !== this.#name) return;
    const { events, watched } = await reply.json();
    const gaps = watched.slice(1).map((period, i) => ({ at: period.from, gap: [watched[i].to, period.from] }));
    const oldest = events.length ? events[0].at : '';
    const lines = [...events, ...gaps.filter((gap) => oldest && gap.at > oldest)].sort((a, b) => (a.at < b.at ? 1 : -1));
    this.history.replaceChildren(el('h2', {}, 'Seen by this console'),
      lines.length === 0
        ? el('p', { class: 'muted' }, 'Nothing yet. The console sees what happens while a page is open.')
        : el('ol', { class: 'history' }, ...lines.map(entry)));
  }

  /** Something was put on record: a break without an answer changes no lock. */
  recorded() {
    this.#loadHistory();
  }

  /** Time has passed. */
  tick() {
    if (!this.#live) return;
    const { lock, age, left, line, waits } = this.#live;
    const remaining = Math.max(0, lock.end - this.#feed.now());
    age.textContent = duration(this.#feed.wall() - lock.sinceMillis);
    left.textContent = duration(remaining);
    bar(line, remaining, lock.full);
    for (const [span, since] of waits) span.textContent = '· waits ' + duration(this.#feed.wall() - since);
  }
}

function entry(event) {
  if (event.gap) {
    return el('li', { class: 'gap muted' }, `Nobody looked from ${clockTime(event.gap[0])} to ${clockTime(event.gap[1])}.`);
  }
  return el('li', { class: 'k-' + event.kind },
    el('time', { datetime: event.at, class: 'muted' }, clockTime(event.at)),
    el('span', { class: 'kind' }, KINDS[event.kind] + (event.by ? ' by ' + visible(event.by) : '')),
    el('span', { class: 'muted' }, (visible(event.holder.description) || '–') + ' · ' + process(event.holder) + ' · tokens ' + event.tokens));
}
