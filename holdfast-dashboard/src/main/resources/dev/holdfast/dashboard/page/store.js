// The page about the store: what it promises, whether it answers, what endangers the locks there.
import { clockTime, el, micros } from './format.js';

const EVERY = 15_000;
const WAKING = { hand_over: 'are given the lock by the store', hint: 'are told by the store when to ask', poll: 'ask now and then' };

export class StorePage {
  #root;
  #session;
  #timer = 0;

  constructor(root, session) {
    this.#root = root;
    this.#session = session;
  }

  show() {
    this.#root.replaceChildren(el('div', { class: 'toolbar' }, el('h1', { id: 'title-store' }, 'Store')), el('p', { class: 'muted' }, 'Examining…'));
    this.#load();
  }

  hide() {
    clearTimeout(this.#timer);
  }

  async #load() {
    clearTimeout(this.#timer);
    const reply = await fetch('api/store').catch(() => null);
    const report = reply && reply.ok ? await reply.json().catch(() => null) : null;
    if (this.#root.hidden) return;
    this.#draw(report);
    this.#timer = setTimeout(() => this.#load(), EVERY);
  }

  #draw(report) {
    const title = el('div', { class: 'toolbar' }, el('h1', { id: 'title-store' }, 'Store'),
      el('span', { class: 'muted' }, report ? 'examined ' + clockTime(report.at) : ''));
    if (!report) {
      this.#root.replaceChildren(title, el('p', { class: 'note' }, 'The console did not answer.'));
      return;
    }
    const facts = [
      ['Where', this.#session.store || 'the store of this application'],
      ['Answers', report.reachable ? 'yes, in ' + micros(report.roundTripMicros) : 'NO: ' + report.detail],
      ['Exclusion', 'survives ' + report.promises.exclusion],
      ['Tokens', report.promises.token],
      ['Waiters', WAKING[report.promises.waking] + (report.promises.fair ? ', in order' : ', in no order')],
      ['Kinds', report.promises.kinds.join('; ')],
    ];
    this.#root.replaceChildren(title, el('div', { class: 'cards' },
      el('div', { class: 'card' }, el('h2', {}, 'What it is'),
        el('dl', {}, ...facts.flatMap(([term, value]) => [el('dt', {}, term), el('dd', { class: 'wrap' }, value)]))),
      el('div', { class: 'card' }, el('h2', {}, 'How fast it lists the locks'), chart(report.times)),
      el('div', { class: 'card', id: 'findings' }, el('h2', {}, 'Findings'), findings(report))));
  }
}

function findings(report) {
  if (!report.reachable) return el('p', { class: 'muted' }, 'A store that does not answer cannot be examined.');
  if (report.findings.length === 0) return el('p', { class: 'muted' }, 'Nothing endangers the locks here.');
  return el('ul', { class: 'findings' }, ...report.findings.map((finding) => el('li', { class: 's-' + finding.severity },
    el('span', { class: 'badge' }, finding.severity), el('span', { class: 'wrap' }, finding.what),
    el('code', { class: 'muted' }, finding.code),
    finding.remedy ? el('p', { class: 'remedy' }, '→ ' + finding.remedy) : null)));
}

function chart(times) {
  if (times.length < 2) return el('p', { class: 'muted' }, 'Too few looks so far.');
  const svg = (tag, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const most = sorted[sorted.length - 1];
  const text = `median ${micros(median)}, longest ${micros(most)}, last ${times.length} looks`;
  const picture = svg('svg', { viewBox: '0 0 240 48', class: 'chart', preserveAspectRatio: 'none', role: 'img', 'aria-label': text });
  const step = 240 / times.length;
  times.forEach((time, i) => {
    const height = Math.max(1, (time / most) * 44);
    picture.append(svg('rect', { x: i * step, y: 48 - height, width: Math.max(1, step - 1), height }));
  });
  return el('div', {}, picture, el('p', { class: 'muted' }, text));
}
