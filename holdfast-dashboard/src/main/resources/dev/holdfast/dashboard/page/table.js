// The table of held locks. Only the rows that can be seen are in the document, so ten thousand cost as much as thirty.
import { address, duration, el, inOrder, kind, process, tokens, visible } from './format.js';

const ROW = 48;
const SPARE = 6;
const text = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// Tokens are longer than numbers can be.
const number = (a, b) => a.length - b.length || text(a, b);

const COLUMNS = [
  { id: 'name', title: 'Lock', by: (a, b) => text(a.name, b.name) },
  { id: 'holder', title: 'Holder', by: (a, b) => text(a.holder.host, b.holder.host) || a.holder.pid - b.holder.pid },
  { id: 'age', title: 'Held for', by: (a, b) => b.sinceMillis - a.sinceMillis },
  { id: 'left', title: 'Remaining', by: (a, b) => a.end - b.end },
  { id: 'tokens', title: 'Tokens', by: (a, b) => number(a.lastToken, b.lastToken) },
  { id: 'waiting', title: 'Waiting', by: (a, b) => b.waiting - a.waiting || a.longest - b.longest },
];

export class LockTable {
  #feed;
  #open;
  #sort = { column: COLUMNS[0], down: false };
  #sought = '';
  #shown = [];
  #rows = [];
  #active = null;
  #frame = 0;

  constructor(root, feed, open) {
    this.#feed = feed;
    this.#open = open;
    this.headers = COLUMNS.map((column) => {
      const button = el('button', { type: 'button' }, column.title);
      button.addEventListener('click', () => this.#sortBy(column));
      return el('div', { role: 'columnheader', class: 'c-' + column.id, 'aria-sort': 'none' }, button);
    });
    this.space = el('div', { class: 'space', role: 'presentation' });
    this.body = el('div', { class: 'rows', role: 'rowgroup' }, this.space);
    this.empty = el('p', { class: 'empty' });
    this.grid = el('div', { class: 'grid', role: 'grid', tabindex: '0', 'aria-label': 'Held locks', 'aria-describedby': 'table-help' },
      el('div', { role: 'rowgroup' }, el('div', { role: 'row', class: 'head', 'aria-rowindex': '1' }, ...this.headers)), this.body);
    root.append(this.grid, this.empty,
      el('p', { class: 'quiet', id: 'table-help' }, 'Arrow keys move between locks, Enter opens one.'));
    this.body.addEventListener('scroll', () => this.#soon(), { passive: true });
    new ResizeObserver(() => this.#soon()).observe(this.body);
    this.grid.addEventListener('keydown', (event) => this.#key(event));
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('[role=row]');
      if (row && !event.target.closest('a')) this.#open(row.lock);
    });
    this.#showSort();
  }

  search(sought) {
    this.#sought = sought.toLowerCase();
    this.body.scrollTop = 0;
    this.refresh();
  }

  get count() {
    return this.#shown.length;
  }

  /** The locks have changed, or what is asked of them. */
  refresh() {
    const { column, down } = this.#sort;
    const all = [...this.#feed.locks.values()];
    const shown = this.#sought ? all.filter((lock) => lock.sought.includes(this.#sought)) : all;
    shown.sort((a, b) => (down ? -1 : 1) * column.by(a, b) || text(a.name, b.name) || text(a.kind, b.kind) || inOrder(a, b));
    this.#shown = shown;
    this.space.style.height = shown.length * ROW + 'px';
    this.grid.setAttribute('aria-rowcount', shown.length + 1);
    this.empty.hidden = shown.length > 0;
    this.empty.textContent = !this.#feed.loaded ? 'Asking the store…' : this.#sought ? 'No held lock matches.' : 'No lock is held.';
    this.#soon();
  }

  /** Time has passed: bars and ages of the rows that can be seen. */
  tick() {
    for (const row of this.#rows) if (row.lock) times(row, this.#feed);
  }

  #soon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw() {
    this.grid.style.setProperty('--scrollbar', this.body.offsetWidth - this.body.clientWidth + 'px');
    const first = Math.max(0, Math.floor(this.body.scrollTop / ROW) - SPARE);
    const last = Math.min(this.#shown.length, Math.ceil((this.body.scrollTop + this.body.clientHeight) / ROW) + SPARE);
    while (this.#rows.length < last - first) {
      const row = newRow(this.#rows.length);
      this.#rows.push(row);
      this.space.append(row);
    }
    this.#rows.forEach((row, i) => {
      const lock = this.#shown[first + i];
      if (first + i >= last || !lock) {
        row.hidden = true;
        row.lock = null;
        return;
      }
      row.hidden = false;
      row.style.transform = `translateY(${(first + i) * ROW}px)`;
      row.setAttribute('aria-rowindex', first + i + 2);
      if (row.lock !== lock) fill(row, lock);
      times(row, this.#feed);
    });
    this.#mark();
  }

  #mark() {
    let marked = null;
    for (const row of this.#rows) {
      const active = row.lock !== null && row.lock.place === this.#active;
      row.classList.toggle('active', active);
      row.setAttribute('aria-selected', active);
      if (active) marked = row;
    }
    if (marked) this.grid.setAttribute('aria-activedescendant', marked.id);
    else this.grid.removeAttribute('aria-activedescendant');
  }

  #key(event) {
    if (event.target !== this.grid || this.#shown.length === 0) return;
    const at = this.#shown.findIndex((lock) => lock.place === this.#active);
    const page = Math.max(1, Math.floor(this.body.clientHeight / ROW) - 1);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.#shown.length - 1 };
    if (event.key in steps) {
      this.#goTo(Math.min(this.#shown.length - 1, Math.max(0, steps[event.key])));
    } else if (event.key === 'Enter' && at >= 0) {
      this.#open(this.#shown[at]);
    } else {
      return;
    }
    event.preventDefault();
  }

  #goTo(index) {
    this.#active = this.#shown[index].place;
    const top = index * ROW;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    else if (top + ROW > this.body.scrollTop + this.body.clientHeight) this.body.scrollTop = top + ROW - this.body.clientHeight;
    this.#draw();
  }

  #sortBy(column) {
    this.#sort = { column, down: this.#sort.column === column && !this.#sort.down };
    this.#showSort();
    this.refresh();
  }

  #showSort() {
    COLUMNS.forEach((column, i) => {
      const sorted = column === this.#sort.column;
      this.headers[i].setAttribute('aria-sort', sorted ? (this.#sort.down ? 'descending' : 'ascending') : 'none');
    });
  }
}

function newRow(index) {
  const cell = (name, ...children) => el('div', { role: 'gridcell', class: 'c-' + name }, ...children);
  const row = el('div', { role: 'row', class: 'row', id: 'row-' + index });
  row.parts = {
    name: el('a', { class: 'name', tabindex: '-1' }),
    kind: el('span', { class: 'badge' }),
    // In place of the holder's column where the screen is narrow.
    sub: el('div', { class: 'line muted sub' }),
    description: el('div', { class: 'line' }),
    process: el('div', { class: 'line muted' }),
    age: el('span'),
    bar: el('i'),
    left: el('span', { class: 'left' }),
    tokens: el('span', { class: 'mono' }),
    waiting: el('span'),
  };
  const { name, kind: badge, sub, description, process: who, age, bar, left, tokens: numbers, waiting } = row.parts;
  row.append(cell('name', name, ' ', badge, sub), cell('holder', description, who), cell('age', age),
    cell('left', el('div', { class: 'bar', 'aria-hidden': 'true' }, bar), left), cell('tokens', numbers), cell('waiting', waiting));
  row.lock = null;
  return row;
}

function fill(row, lock) {
  row.lock = lock;
  const parts = row.parts;
  parts.name.textContent = visible(lock.name);
  parts.name.title = visible(lock.name);
  parts.name.href = address(lock);
  parts.kind.textContent = kind(lock);
  parts.kind.hidden = lock.kind === 'lock';
  parts.description.textContent = visible(lock.holder.description) || '–';
  parts.description.title = visible(lock.holder.description);
  parts.process.textContent = process(lock.holder);
  parts.sub.textContent = (visible(lock.holder.description) || '–') + ' · ' + visible(lock.holder.host);
  parts.tokens.textContent = tokens(lock);
  row.classList.toggle('contended', lock.waiting > 0);
}

function times(row, feed) {
  const { lock, parts } = row;
  const left = Math.max(0, lock.end - feed.now());
  set(parts.age, duration(feed.wall() - lock.sinceMillis));
  set(parts.left, duration(left));
  bar(parts.bar, left, lock.full);
  const longest = Number.isFinite(lock.longest) ? ', ' + duration(feed.wall() - lock.longest) : '';
  set(parts.waiting, lock.waiters === undefined ? '?' : lock.waiting === 0 ? '–' : lock.waiting + longest);
}

export function bar(element, left, full) {
  const share = full > 0 ? Math.min(1, left / full) : 0;
  element.style.width = (share * 100).toFixed(1) + '%';
  element.className = share < 0.2 ? 'low' : share < 0.5 ? 'half' : '';
}

function set(element, value) {
  if (element.textContent !== value) element.textContent = value;
}
