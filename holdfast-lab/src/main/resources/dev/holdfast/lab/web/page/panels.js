// The accounts, the stories and the log.
import { act } from './lab.js';
import { element, setText, shortToken } from './drawing.js';

const TITLES = { holdfast: 'Account behind Holdfast', plain: 'Account behind the plain lock' };
const LOCKS = { holdfast: 'Holdfast', plain: 'Plain lock' };
const accounts = {};
const stories = new Map();
let lastLine = 0;

function accountCard(lane) {
  const card = element('article', { class: `card account ${lane}${lane === 'plain' ? ' plain-only' : ''}`, 'aria-label': TITLES[lane] });
  const sum = element('span');
  const verdict = element('small', { role: 'status' });
  const about = element('p', { class: 'about' });
  const entries = element('ol', { 'aria-label': 'Last deposits, newest first' });
  card.append(element('h3', {}, TITLES[lane]), element('p', { class: 'sum' }, sum, verdict), about, entries);
  const guard = element('input', { type: 'checkbox', role: 'switch', id: 'guard' });
  if (lane === 'holdfast') {
    guard.addEventListener('change', () => act('guard', { on: guard.checked }));
    card.append(element('label', { class: 'switch' }, guard, 'Guard: the account refuses tokens older than the newest it has seen'));
  } else {
    card.append(element('p', { class: 'about' }, 'No guard: this lock has no token to show.'));
  }
  document.getElementById('accounts').append(card);
  return { card, sum, verdict, about, entries, guard };
}

function drawAccount(lane, account, state, busy) {
  accounts[lane] ??= accountCard(lane);
  const view = accounts[lane];
  const right = account.balance === account.due;
  view.card.dataset.right = right ? 'yes' : 'no';
  setText(view.sum, `${account.balance}`);
  setText(view.verdict, right ? 'right' : `wrong: ${account.due} due, a deposit is lost`);
  const refused = state.clients.reduce((sum, client) => sum + client[lane].refused, 0);
  const seen = account.newest === '0' ? 'No token shown yet' : `Newest token ${shortToken(account.newest)}`;
  const told = lane === 'plain' ? 'Whoever holds the lock writes.' : `${seen}. Stale writes refused: ${refused}.`;
  setText(view.about, told);
  const rows = account.entries.map((entry) => {
    const [client, deposit, , before, after] = entry.split(' ');
    return { text: `${client} +${deposit}: ${before} → ${after}`, lossy: Number(before) + Number(deposit) !== Number(after) };
  });
  if (view.entries.dataset.seen !== account.entries.join()) {
    view.entries.dataset.seen = account.entries.join();
    view.entries.replaceChildren(...rows.map((row) => element('li', { class: row.lossy ? 'lossy' : '' }, row.text)));
  }
  view.guard.checked = state.guarded;
  view.guard.disabled = busy;
}

function storyCard(story, number) {
  const play = element('button', { type: 'button', 'aria-label': `Play ${story.title}`, onclick: () => act('play', { story: story.id }) }, 'Play');
  const told = element('ol', { class: 'told', 'aria-live': 'polite' });
  const facts = element('div', { class: 'facts' });
  const problem = element('p', { class: 'problem' });
  const card = element('li', { class: 'story', 'data-story': story.id },
    element('h3', {}, `${number + 1}. ${story.title}`, play), element('p', { class: 'about' }, story.about), told, facts, problem);
  document.getElementById('story-list').append(card);
  return { card, play, told, facts, problem };
}

function drawStory(story, number, playing, busy) {
  if (!stories.has(story.id)) stories.set(story.id, storyCard(story, number));
  const view = stories.get(story.id);
  const mine = playing.id === story.id;
  const before = view.card.dataset.state;
  view.card.dataset.state = mine ? playing.state : '';
  view.card.dataset.number = mine ? playing.number : '';
  view.play.disabled = busy;
  const sentences = mine ? playing.sentences : [];
  // One by one at the end, so that a screen reader hears what is new.
  while (view.told.children.length > sentences.length) view.told.lastChild.remove();
  sentences.forEach((sentence, index) => {
    if (!view.told.children[index]) view.told.append(element('li', {}, sentence));
    else setText(view.told.children[index], sentence);
  });
  setText(view.problem, mine && playing.state === 'failed' ? `Not as told: ${playing.problem}` : mine && playing.state === 'stopped' ? 'Stopped.' : '');
  drawFacts(view, mine ? playing.facts : []);
  if (mine && before !== 'playing' && playing.state === 'playing') view.card.scrollIntoView({ block: 'nearest' });
}

function drawFacts(view, facts) {
  const key = JSON.stringify(facts);
  if (view.facts.dataset.seen === key) return;
  view.facts.dataset.seen = key;
  view.facts.replaceChildren(...['holdfast', 'plain'].filter((lane) => facts.some((fact) => fact.lane === lane)).map((lane) =>
    element('div', { class: lane }, element('h4', {}, LOCKS[lane]), element('ul', {},
      ...facts.filter((fact) => fact.lane === lane).map((fact) => element('li', { class: fact.harm ? 'harm' : '' }, fact.text))))));
}

function drawLines(lines) {
  const list = document.getElementById('lines-list');
  for (const line of lines) {
    if (line.number <= lastLine) continue;
    lastLine = line.number;
    list.prepend(element('li', { class: line.tone === 'story' ? 'story-line' : line.tone },
      element('time', {}, `${(line.millis / 1000).toFixed(2)} s`), element('span', { class: 'who' }, line.who),
      element('span', { class: 'text' }, line.text)));
  }
  while (list.children.length > 200) list.lastChild.remove();
}

export function drawPanels(state, busy) {
  for (const lane of ['holdfast', 'plain']) {
    if (state.accounts[lane]) drawAccount(lane, state.accounts[lane], state, busy);
  }
  state.stories.forEach((story, number) => drawStory(story, number, state.playing, busy));
  drawLines(state.lines);
}
