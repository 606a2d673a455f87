// The way through the pages, and the line at the top that says whether what is shown is true now.
import { Feed } from './feed.js';
import { address, duration, el, plural, visible } from './format.js';
import { LockPage } from './lock.js';
import { StorePage } from './store.js';
import { LockTable } from './table.js';

const id = (name) => document.getElementById(name);
const session = await fetch('api/session').then((reply) => (reply.ok ? reply.json() : null)).catch(() => null);
if (!session) location.reload();

const feed = new Feed();
const open = (lock) => { location.hash = address(lock); };
const table = new LockTable(id('table'), feed, open);
const lockPage = new LockPage(id('page-lock'), feed, session);
const storePage = new StorePage(id('page-store'), session);
let page = '';

id('label').textContent = session.store;
if (session.readOnly) id('label').after(el('span', { class: 'badge' }, 'read-only'));

function route(moved) {
  const [, kind, rest] = /^#\/(lock|semaphore|read-write-lock|store)?\/?(.*)$/.exec(location.hash) ?? [null, undefined, ''];
  page = !kind ? 'locks' : kind === 'store' ? 'store' : 'lock';
  for (const each of ['locks', 'lock', 'store']) id('page-' + each).hidden = each !== page;
  for (const each of ['locks', 'store']) {
    if (each === page) id('nav-' + each).setAttribute('aria-current', 'page');
    else id('nav-' + each).removeAttribute('aria-current');
  }
  storePage.hide();
  if (page === 'lock') lockPage.show(kind, decoded(rest));
  if (page === 'store') storePage.show();
  if (page === 'locks') table.refresh();
  document.title = (page === 'lock' ? visible(decoded(rest)) + ' · ' : page === 'store' ? 'Store · ' : '') + 'Holdfast';
  // Whoever uses a keyboard or a screen reader goes where the page went.
  if (moved) (page === 'locks' ? table.grid : id('main')).focus({ preventScroll: true });
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refresh() {
  const all = feed.locks.size;
  if (page === 'locks') {
    table.refresh();
    id('count').textContent = !feed.loaded ? '' : table.count === all ? plural(all, 'lock', 'locks') : `${table.count.toLocaleString('en')} of ${plural(all, 'lock', 'locks')}`;
    id('truncated').hidden = feed.complete;
    id('truncated').textContent = `There may be more: only the first ${session.limit.toLocaleString('en')} by name are shown.`;
  } else if (page === 'lock') {
    lockPage.refresh();
  }
}

const STATES = {
  waiting: () => 'Connecting…',
  live: () => (feed.silence() > 4000 ? 'No answer from the store for ' + duration(feed.silence()) : 'Live'),
  silent: () => 'The store does not answer: ' + feed.why,
  lost: () => 'The console does not answer. What is shown is old',
  full: () => 'Too many pages are open',
  out: () => 'This session is over. Open a new link',
};

function status() {
  const text = STATES[feed.state]();
  const old = feed.state !== 'live' || feed.silence() > 4000;
  const state = old ? (feed.state === 'waiting' ? 'waiting' : 'bad') : 'good';
  const at = id('status');
  if (at.textContent !== text) at.textContent = text;
  at.title = text;
  at.dataset.state = state;
  document.body.classList.toggle('old', state === 'bad');
}

function audit() {
  id('audit').hidden = feed.audit.length === 0;
  id('audit-lines').replaceChildren(...feed.audit.map((entry) => el('li', { class: 'wrap' }, visible(entry.line))));
  if (page === 'lock') lockPage.recorded();
}

feed.addEventListener('change', refresh);
feed.addEventListener('state', status);
feed.addEventListener('look', status);
feed.addEventListener('audit', audit);
addEventListener('hashchange', () => { route(true); refresh(); });
id('search').addEventListener('input', (event) => { table.search(event.target.value); refresh(); });
id('search').addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'Enter') { table.grid.focus(); event.preventDefault(); }
});
addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input, dialog');
  if (event.key === '/' && !typing) {
    if (page !== 'locks') location.hash = '#/';
    setTimeout(() => id('search').focus());
    event.preventDefault();
  } else if (event.key === 'Escape' && !typing && page !== 'locks') {
    location.hash = '#/';
  }
});
setInterval(() => {
  status();
  if (page === 'locks') table.tick();
  if (page === 'lock') lockPage.tick();
}, 250);

route(false);
status();
feed.start();
