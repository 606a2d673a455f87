// The servers, clients and links as they are, and each vote as it is given or ends. Everything comes from the state that the lab
// has told; nothing moves that did not happen.
import { act } from './lab.js';

const SVG = 'http://www.w3.org/2000/svg';
const LANES = ['holdfast', 'plain'];
const FLIGHT_MILLIS = 550;
const serverCards = [];
const clientCards = [];
const links = [];
let lastFlight = -1;

export function element(tag, values = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (name === 'class') made.className = value;
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Touches the page only where something is different. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function seconds(millis) {
  return `${(Math.max(0, millis) / 1000).toFixed(1)} s`;
}

/** Tokens of a quorum are long, and begin alike. */
export function shortToken(token) {
  return `…${token.slice(-9, -6)}\u202f${token.slice(-6, -3)}\u202f${token.slice(-3)}`;
}

function button(text, label, action) {
  return element('button', { type: 'button', 'aria-label': label, onclick: action }, text);
}

function voteLane(lane) {
  const who = element('span', { class: 'who' }, '–');
  const fill = element('i');
  const left = element('span', { class: 'left' });
  const row = element('div', { class: `lane ${lane}${lane === 'plain' ? ' plain-only' : ''}` }, who, element('span', { class: 'bar' }, fill), left);
  return { row, who, fill, left };
}

function serverCard(number, port) {
  const card = element('article', { class: 'card server', role: 'listitem', 'aria-label': `Server ${number + 1}` });
  const status = element('p', { class: 'status' });
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, voteLane(lane)]));
  const kill = button('Kill', `Kill server ${number + 1}`, () => act('kill', { server: number }));
  const revive = button('Revive', `Start server ${number + 1} again with its data`, () => act('revive', { server: number, on: true }));
  const empty = button('Revive empty', `Start server ${number + 1} again without its data`, () => act('revive', { server: number, on: false }));
  const freeze = button('Freeze', `Freeze server ${number + 1}`, () => act('freeze-server', { server: number, on: freeze.dataset.on !== 'yes' }));
  const clock = button('Fast clock', `Let the clock of server ${number + 1} run fast`, () => act('clock', { server: number, on: clock.dataset.on !== 'yes' }));
  card.append(
    element('h3', {}, element('b', {}, `Server ${number + 1}`), element('small', {}, `:${port}`)),
    status, lanes.holdfast.row, lanes.plain.row,
    element('div', { class: 'buttons' }, kill, revive, empty, freeze, clock));
  return { card, status, lanes, kill, revive, empty, freeze, clock };
}

function clientLane(lane) {
  const what = element('span', { class: 'what' });
  const fill = element('i');
  const left = element('span', { class: 'left' });
  const row = element('div', { class: `lane ${lane}${lane === 'plain' ? ' plain-only' : ''}` }, what, element('span', { class: 'bar' }, fill), left);
  return { row, what, fill, left };
}

function clientCard(number, client) {
  const card = element('article', { class: `card client of-${number}`, role: 'listitem', 'aria-label': `Client ${client.name}` });
  const pid = element('small');
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, clientLane(lane)]));
  const work = button('Work', `Let client ${client.name} work`, () => act('work', { client: number, on: work.dataset.on !== 'yes' }));
  const freeze = button('Freeze', `Freeze client ${client.name}`, () => act('freeze-client', { client: number, on: freeze.dataset.on !== 'yes' }));
  const ways = serverCards.map((_, server) => button(`${server + 1}`, `Link from client ${client.name} to server ${server + 1}`,
    () => act('link', { client: number, server, on: ways[server].getAttribute('aria-pressed') !== 'true' })));
  card.append(
    element('h3', {}, element('b', {}, `Client ${client.name}`), pid),
    lanes.holdfast.row, lanes.plain.row,
    element('div', { class: 'buttons' }, work, freeze),
    element('fieldset', { class: 'ways' }, element('legend', {}, 'Links to'), ...ways));
  return { card, pid, lanes, work, freeze, ways };
}

function build(state) {
  state.servers.forEach((server, number) => serverCards.push(serverCard(number, server.port)));
  state.clients.forEach((client, number) => clientCards.push(clientCard(number, client)));
  document.getElementById('servers').append(...serverCards.map((each) => each.card));
  document.getElementById('clients').append(...clientCards.map((each) => each.card));
  const lines = document.getElementById('lines');
  clientCards.forEach((_, client) => {
    links.push(serverCards.map(() => {
      const line = document.createElementNS(SVG, 'line');
      line.classList.add(`of-${client}`);
      lines.append(line);
      return line;
    }));
  });
  const place = new ResizeObserver(placeLines);
  place.observe(document.getElementById('stage'));
  serverCards.concat(clientCards).forEach((each) => place.observe(each.card));
}

/** Where a card is, in the drawing. */
function edge(card, side) {
  const all = document.getElementById('stage').getBoundingClientRect();
  const box = card.getBoundingClientRect();
  return { x: box.left - all.left + box.width / 2, y: (side === 'top' ? box.top : box.bottom) - all.top };
}

function ends(client, server) {
  const from = edge(serverCards[server].card, 'bottom');
  const to = edge(clientCards[client].card, 'top');
  // Side by side, so that five lines do not end in one point.
  to.x += (server - 2) * 14;
  from.x += (client - 1) * 14;
  return { from, to };
}

function placeLines() {
  links.forEach((row, client) => row.forEach((line, server) => {
    const { from, to } = ends(client, server);
    line.setAttribute('x1', from.x);
    line.setAttribute('y1', from.y);
    line.setAttribute('x2', to.x);
    line.setAttribute('y2', to.y);
  }));
}

function serverStatus(server) {
  if (server.condition === 'down') return 'dead';
  if (server.condition === 'frozen') return 'frozen: answers nothing';
  if (server.rate !== 1) return `clock runs ${server.rate} times too fast, ${seconds(server.ahead)} ahead`;
  if (server.watchFor > 0) return `may have forgotten votes: gives none, watched for ${seconds(server.watched)} of ${seconds(server.watchFor)}`;
  if (!server.votes) return 'does not vote yet';
  if (Math.abs(server.ahead) > 500) return `votes; clock ${seconds(server.ahead)} ahead`;
  return 'votes';
}

function toggle(control, on, whenOn, whenOff) {
  control.dataset.on = on ? 'yes' : 'no';
  setText(control, on ? whenOn : whenOff);
  control.setAttribute('aria-pressed', on);
}

function drawServer(view, server, number, state, busy) {
  const down = server.condition === 'down';
  view.card.dataset.condition = server.condition;
  view.card.dataset.voting = server.votes ? 'yes' : 'no';
  view.card.dataset.clock = server.rate !== 1 || Math.abs(server.ahead) > 500 ? 'wrong' : 'right';
  setText(view.status, serverStatus(server));
  for (const lane of LANES) {
    const vote = server.kept[lane];
    const drawn = view.lanes[lane];
    const client = vote ? vote.client : -1;
    drawn.row.className = drawn.row.className.replace(/ of-\d/, '') + (client >= 0 ? ` of-${client}` : '');
    setText(drawn.who, client >= 0 ? state.clients[client].name : '–');
    const lease = client >= 0 ? state.clients[client][lane].lease : 0;
    drawn.fill.style.width = vote && lease > 0 ? `${Math.min(100, Math.max(0, 100 * vote.left / lease))}%` : '0';
    setText(drawn.left, vote ? seconds(vote.left) : '');
    drawn.row.title = vote && lane === 'holdfast' ? `token ${vote.token}` : '';
  }
  view.kill.hidden = down;
  view.freeze.hidden = down;
  view.clock.hidden = down;
  view.revive.hidden = !down;
  view.empty.hidden = !down;
  toggle(view.freeze, server.condition === 'frozen', 'Thaw', 'Freeze');
  if (state.clocks === '') toggle(view.clock, server.rate !== 1, 'Right clock', 'Fast clock');
  else setText(view.clock, 'End votes early');
  for (const each of [view.kill, view.freeze, view.clock, view.revive, view.empty]) each.disabled = busy;
}

function laneText(lane, seen) {
  const lock = lane === 'holdfast' ? 'Holdfast' : 'Plain';
  switch (seen.state) {
    case 'holding':
      if (seen.left === 0) return `${lock}: its lease is over, and nobody has told it`;
      return lane === 'holdfast' ? `${lock}: holds token ${shortToken(seen.token)}` : `${lock}: holds it`;
    case 'asking': return `${lock}: asks`;
    case 'waiting': return `${lock}: waits`;
    case 'lost': return `${lock}: has lost its lease`;
    default: return `${lock}: idle`;
  }
}

function drawClient(view, client, number, state, busy) {
  view.card.classList.toggle('frozen', client.frozen);
  setText(view.pid, client.frozen ? `process ${client.pid}, frozen` : `process ${client.pid}`);
  for (const lane of LANES) {
    const seen = client[lane];
    const drawn = view.lanes[lane];
    drawn.row.dataset.state = seen.state;
    setText(drawn.what, laneText(lane, seen));
    drawn.row.title = seen.state === 'holding' && lane === 'holdfast' ? `token ${seen.token}` : '';
    const holds = seen.state === 'holding';
    drawn.fill.style.width = holds && seen.lease > 0 ? `${Math.min(100, 100 * seen.left / seen.lease)}%` : '0';
    setText(drawn.left, holds ? seconds(seen.left) : '');
  }
  toggle(view.work, client.working, 'Rest', 'Work');
  toggle(view.freeze, client.frozen, 'Thaw', 'Freeze');
  view.work.disabled = busy;
  view.freeze.disabled = busy;
  view.ways.forEach((way, server) => {
    way.setAttribute('aria-pressed', state.links[number][server]);
    way.disabled = busy;
  });
}

function drawLinks(state) {
  links.forEach((row, client) => row.forEach((line, server) => {
    const vote = state.servers[server].kept.holdfast;
    line.classList.toggle('cut', !state.links[client][server]);
    line.classList.toggle('dead', state.servers[server].condition !== 'up');
    line.classList.toggle('held', Boolean(vote) && vote.client === client && state.links[client][server]);
  }));
}

function fly(flight) {
  if (flight.client < 0 || document.hidden) return;
  const toAccount = flight.server < 0;
  const account = document.querySelector(`.account.${flight.lane}`);
  const way = toAccount
    ? { from: edge(clientCards[flight.client].card, 'bottom'), to: edge(account, 'top') }
    : ends(flight.client, flight.server);
  // A vote goes from the server to the client, and back when it ends.
  const back = flight.kind === 'taken_back';
  const [from, to] = back ? [way.to, way.from] : [way.from, way.to];
  const plain = flight.lane === 'plain';
  const dot = document.createElementNS(SVG, plain ? 'rect' : 'circle');
  if (plain) {
    dot.setAttribute('width', 9);
    dot.setAttribute('height', 9);
    dot.setAttribute('x', -4.5);
    dot.setAttribute('y', -4.5);
  } else {
    dot.setAttribute('r', flight.kind === 'renewed' ? 3.5 : 6);
  }
  dot.setAttribute('class', `of-${flight.client} ${flight.kind}`);
  document.getElementById('flights').append(dot);
  const at = (point) => `translate(${point.x}px, ${point.y}px)`;
  const steps = flight.kind === 'expired'
    ? [{ transform: at(from), opacity: 1 }, { transform: `${at(from)} scale(3)`, opacity: 0 }]
    : flight.kind === 'refused'
      ? [{ transform: at(from) }, { transform: at(to), offset: .5 }, { transform: `${at({ x: to.x, y: to.y - 30 })} scale(1.6)`, opacity: 0 }]
      : [{ transform: at(from) }, { transform: at(to) }];
  dot.animate(steps, { duration: flight.kind === 'refused' ? 2 * FLIGHT_MILLIS : FLIGHT_MILLIS, easing: 'ease-in-out' }).finished
    .finally(() => dot.remove());
}

export function drawStage(state, busy) {
  if (serverCards.length === 0) build(state);
  state.servers.forEach((server, number) => drawServer(serverCards[number], server, number, state, busy));
  state.clients.forEach((client, number) => drawClient(clientCards[number], client, number, state, busy));
  drawLinks(state);
  const note = document.getElementById('clocks');
  note.hidden = state.clocks === '';
  setText(note, `Clocks of servers cannot be changed here: ${state.clocks}. Where a clock would run fast, the lab ends the votes of that server early.`);
  const first = lastFlight < 0;
  for (const flight of state.flights) {
    if (flight.number > lastFlight) {
      lastFlight = flight.number;
      if (!first && (state.plain || flight.lane === 'holdfast')) fly(flight);
    }
  }
  if (first) lastFlight = Math.max(lastFlight, 0);
}
