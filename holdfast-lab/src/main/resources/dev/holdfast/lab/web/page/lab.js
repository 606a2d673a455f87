// Reads what the lab tells and hands it to the drawing and the panels; sends what the visitor does.
import { drawStage } from './drawing.js';
import { drawPanels } from './panels.js';

const problem = document.getElementById('problem');
let token = '';

function showProblem(text) {
  problem.textContent = text;
  problem.hidden = text === '';
}

/** Asks the lab to do something. What it refuses is shown. */
export async function act(what, values = {}) {
  showProblem('');
  try {
    const reply = await fetch('do', {
      method: 'POST',
      headers: { 'X-Holdfast-Token': token },
      body: new URLSearchParams({ what, ...values }),
    });
    if (!reply.ok) showProblem((await reply.json()).error);
  } catch {
    showProblem('The lab does not answer. Has its command ended?');
  }
}

document.getElementById('tour').addEventListener('click', () => act('tour'));
document.getElementById('stop').addEventListener('click', () => act('stop'));
document.getElementById('start-over').addEventListener('click', () => act('start-over'));
const plain = document.getElementById('plain');
plain.addEventListener('change', () => act('plain', { on: plain.checked }));

function draw(state) {
  const busy = state.playing.state === 'playing' || state.touring;
  document.body.classList.toggle('without-plain', !state.plain);
  document.body.dataset.playing = busy ? 'yes' : 'no';
  plain.checked = state.plain;
  plain.disabled = busy;
  document.getElementById('stop').disabled = !busy;
  drawPanels(state, busy);
  drawStage(state, busy);
}

async function start() {
  token = (await (await fetch('session')).json()).token;
  const events = new EventSource('events');
  events.addEventListener('state', (event) => {
    showConnected(true);
    draw(JSON.parse(event.data));
  });
  events.addEventListener('error', () => showConnected(false));
}

let connected = true;
function showConnected(is) {
  if (is === connected) return;
  connected = is;
  showProblem(is ? '' : 'The lab does not answer. What is shown here is what it told last.');
}

start();
