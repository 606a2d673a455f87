// One holder on the page of a name. The card stays while the place is held, so that a button keeps the focus.
import { breakDialog } from './dialog.js';
import { clockTime, duration, el, part, tokens, visible } from './format.js';
import { bar } from './table.js';

export class HolderCard {
  #feed;
  #lock;
  #age = el('span');
  #left = el('span');
  #line = el('i');
  #list = el('dl');

  /** @param session null: without a button of its own */
  constructor(lock, feed, session) {
    this.#feed = feed;
    const button = session && !session.readOnly ? el('button', { type: 'button', class: 'danger' }, 'Break…') : null;
    button?.addEventListener('click', () => breakDialog(this.#lock, feed, session));
    this.element = el('div', { class: 'card holder' },
      el('h2', {}, part(lock) ? part(lock)[0].toUpperCase() + part(lock).slice(1) : 'Held'),
      el('div', { class: 'bar wide', 'aria-hidden': 'true' }, this.#line), this.#list, button);
    this.update(lock);
  }

  update(lock) {
    if (lock === this.#lock) return;
    this.#lock = lock;
    const rows = [
      ['Description', visible(lock.holder.description) || '–'],
      ['Host', visible(lock.holder.host)],
      ['Process', String(lock.holder.pid)],
      ['Since', el('span', {}, clockTime(lock.since) + ' (', this.#age, ')')],
      ['Tokens', el('span', { class: 'mono' }, tokens(lock))],
      ['Remaining', el('span', {}, this.#left, ' unless renewed')],
    ];
    if (part(lock) && lock.votes) rows.push(['Votes', `${lock.votes.granted} of ${lock.votes.nodes}`]);
    this.#list.replaceChildren(...rows.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)]));
    this.tick();
  }

  /** Time has passed. */
  tick() {
    const remaining = Math.max(0, this.#lock.end - this.#feed.now());
    this.#age.textContent = duration(this.#feed.wall() - this.#lock.sinceMillis);
    this.#left.textContent = duration(remaining);
    bar(this.#line, remaining, this.#lock.full);
  }
}
