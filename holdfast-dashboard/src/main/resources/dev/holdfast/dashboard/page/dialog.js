// Breaking a lock: says who is hit and what it means, and wants the name typed.
import { clockTime, el, kind, part, plural, process, tokens, visible } from './format.js';

const dialog = document.getElementById('dialog');

/** Breaks exactly the tenure that is shown now, whatever happens to the name meanwhile. */
export function breakDialog(lock, feed, session) {
  if (!lock || session.readOnly) return;
  const shown = visible(lock.name);
  const input = el('input', { id: 'typed', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-describedby': 'dialog-meaning' });
  const confirm = el('button', { type: 'submit', class: 'danger', id: 'confirm', disabled: true }, 'Break this lock');
  const cancel = el('button', { type: 'button', id: 'cancel' }, 'Cancel');
  const message = el('p', { role: 'alert', class: 'message' });
  const next = lock.shared
    ? 'A writer that waits gets it when no reader is left.'
    : lock.waiters && lock.waiters.length > 0
    ? `The first of ${plural(lock.waiters.length, 'waiting process', 'waiting processes')} gets it at once: ${process(lock.waiters[0])}.`
    : 'Whoever asks next gets it.';
  const form = el('form', { method: 'dialog' },
    el('h2', { id: 'dialog-title' }, 'Break ', el('span', { class: 'mono wrap' }, shown), part(lock) ? ', ' + part(lock) : '', '?'),
    el('p', {}, (lock.kind === 'lock' ? '' : 'A ' + kind(lock) + '. ') + 'Held by ', el('strong', {}, visible(lock.holder.description) || 'a process without a description'),
      `, process ${lock.holder.pid} on ${visible(lock.holder.host)}, since ${clockTime(lock.since)}, tokens ${tokens(lock)}.`),
    el('p', { id: 'dialog-meaning' }, 'That process is not asked. It works on until its next renewal, a third of its lease, and then learns that the lock is lost. '
      + next + ' Until then two may work at the same time, unless the resource checks tokens. Break only what is known to be dead, or guarded.'),
    el('label', { for: 'typed' }, 'Type the name of the lock to confirm'), input, message,
    el('div', { class: 'buttons' }, cancel, confirm));
  dialog.replaceChildren(form);

  const over = () => feed.locks.get(lock.place)?.id !== lock.id;
  const check = () => {
    confirm.disabled = over() || !(input.value === lock.name || input.value === shown);
    if (over() && dialog.open && !dialog.dataset.done) message.textContent = 'This holder has let go meanwhile. There is nothing to break.';
  };
  delete dialog.dataset.done;
  feed.addEventListener('change', check);
  dialog.addEventListener('close', () => feed.removeEventListener('change', check), { once: true });
  input.addEventListener('input', check);
  cancel.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (confirm.disabled) return;
    confirm.disabled = true;
    dialog.dataset.done = 'yes';
    const reply = await fetch('api/break', {
      method: 'POST',
      headers: { 'X-Holdfast-Token': session.token },
      body: new URLSearchParams({ id: lock.id, typed: input.value }),
    }).catch(() => null);
    const answer = reply ? await reply.json().catch(() => ({})) : {};
    if (reply && reply.ok) {
      dialog.close();
    } else {
      message.textContent = answer.error ?? 'The console did not answer. Look again whether the lock is held.';
    }
  });
  dialog.showModal();
  input.focus();
}
