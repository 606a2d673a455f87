// The page of one name: who holds it, who waits, who voted for it, and what this console has seen of it.
import { breakDialog } from './dialog.js';
import { clockTime, duration, el, inOrder, KIND_WORDS, plural, process, visible } from './format.js';
import { HolderCard } from './holder.js';

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
  #kind = 'lock';
  #name = null;
  #seen = '';
  #cards = new Map();
  #waits = [];

  constructor(root, feed, session) {
    this.#root = root;
    this.#feed = feed;
    this.#session = session;
  }

  show(kind, name) {
    this.#kind = kind;
    this.#name = name;
    this.#seen = '';
    this.#cards.clear();
    this.#root.replaceChildren();
    this.holders = el('div', { id: 'holder' });
    this.queue = el('div', { class: 'card', id: 'queue' });
    this.votes = el('div', { class: 'card', id: 'votes', hidden: true });
    this.history = el('div', { class: 'card', id: 'history' });
    // A lock has one holder: its button stands beside its name. Of the others each holder has a button.
    const single = kind === 'lock' && !this.#session.readOnly;
    this.button = single ? el('button', { type: 'button', class: 'danger', id: 'break', hidden: true }, 'Break…') : null;
    this.button?.addEventListener('click', () => breakDialog(this.#feed.locks.get(this.#name), this.#feed, this.#session));
    this.#root.append(
      el('div', { class: 'toolbar' },
        el('a', { href: '#/', class: 'back' }, '← All locks'),
        el('h1', { id: 'title-lock', class: 'mono wrap' }, visible(name)),
        kind === 'lock' ? null : el('span', { class: 'badge', id: 'kind' }, KIND_WORDS[kind]), this.button),
      el('div', { class: 'cards' }, this.holders, this.queue, this.votes, this.history));
    this.refresh();
  }

  #held() {
    if (this.#kind === 'lock') return [this.#feed.locks.get(this.#name)].filter(Boolean);
    return [...this.#feed.locks.values()].filter((lock) => lock.kind === this.#kind && lock.name === this.#name).sort(inOrder);
  }

  /** The locks have changed. */
  refresh() {
    const held = this.#held();
    if (this.button) this.button.hidden = held.length === 0;
    this.#holderCards(held);
    this.#waits = [];
    // One queue for all of them, told with each.
    this.#queueCard(held[0]);
    this.#votesCard(held.length === 1 ? held[0] : undefined);
    const seen = held.map((lock) => lock.id).join() || 'free';
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#loadHistory();
    }
    this.tick();
  }

  #holderCards(held) {
    const gone = new Set(this.#cards.keys());
    for (const lock of held) {
      gone.delete(lock.id);
      if (this.#cards.has(lock.id)) this.#cards.get(lock.id).update(lock);
      else this.#cards.set(lock.id, new HolderCard(lock, this.#feed, this.#kind === 'lock' ? null : this.#session));
    }
    for (const id of gone) this.#cards.delete(id);
    const shown = held.map((lock) => this.#cards.get(lock.id).element);
    if (shown.length === 0) {
      const what = KIND_WORDS[this.#kind];
      shown.push(el('div', { class: 'card' }, el('h2', {}, this.#feed.loaded ? 'Free' : 'Asking the store…'),
        el('p', { class: 'muted' }, this.#feed.loaded ? `Nobody holds this ${what} now.` : '')));
    }
    // Moving an element takes the focus from it.
    if (shown.length !== this.holders.children.length || shown.some((each, i) => each !== this.holders.children[i])) {
      this.holders.replaceChildren(...shown);
    }
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
          if (waiter.since) this.#waits.push([since, Date.parse(waiter.since)]);
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
    const kind = this.#kind;
    const reply = await fetch('api/history?kind=' + kind + '&name=' + encodeURIComponent(name)).catch(() => null);
    if (!reply || !reply.ok || name !== this.#name || kind !== this.#kind) return;
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
    for (const card of this.#cards.values()) card.tick();
    for (const [span, since] of this.#waits) span.textContent = '· waits ' + duration(this.#feed.wall() - since);
  }
}

function entry(event) {
  if (event.gap) {
    return el('li', { class: 'gap muted' }, `Nobody looked from ${clockTime(event.gap[0])} to ${clockTime(event.gap[1])}.`);
  }
  return el('li', { class: 'k-' + event.kind },
    el('time', { datetime: event.at, class: 'muted' }, clockTime(event.at)),
    el('span', { class: 'kind' }, (event.part ? event.part + ' ' : '') + KINDS[event.kind] + (event.by ? ' by ' + visible(event.by) : '')),
    el('span', { class: 'muted' }, (visible(event.holder.description) || '–') + ' · ' + process(event.holder) + ' · tokens ' + event.tokens));
}
