// What the server tells, kept as it is now. Everything on the pages is read from here.
import { kind } from './format.js';

/** Tells 'change' when locks have changed, 'look' when the store was asked, 'state' when the connection changed, 'audit'. */
export class Feed extends EventTarget {
  /** Who holds what, by what at most one can hold: a name can have several, if it is no lock. */
  locks = new Map();
  complete = true;
  loaded = false;
  state = 'waiting';
  why = '';
  look = null;
  lastLook = 0;
  audit = [];
  #clock = { now: 0, wall: Date.now(), at: performance.now() };
  #source = null;

  start() {
    const source = new EventSource('events');
    this.#source = source;
    const on = (type, react) => source.addEventListener(type, (event) => react(JSON.parse(event.data)));
    on('clock', (clock) => { this.#clock = { ...clock, at: performance.now() }; });
    on('locks', ({ locks, complete }) => {
      this.locks = new Map(locks.map((lock) => [lock.place, prepared(lock)]));
      this.complete = complete;
      this.loaded = true;
      this.#tell('change');
    });
    on('change', ({ set, gone }) => {
      for (const place of gone) this.locks.delete(place);
      for (const lock of set) this.locks.set(lock.place, prepared(lock));
      this.#tell('change');
    });
    on('look', (look) => {
      this.look = look;
      if (look.ok) this.lastLook = performance.now();
      this.#become(look.ok ? 'live' : 'silent', look.why ?? '');
      this.#tell('look');
    });
    // With every connection, also after one was lost: all that is on record.
    on('record', ({ entries }) => {
      this.audit = entries;
      this.#tell('audit');
    });
    on('audit', (entry) => {
      this.audit = [entry, ...this.audit].slice(0, 20);
      this.#tell('audit');
    });
    source.onerror = () => {
      this.#become('lost', '');
      // Refused, not broken: the browser does not try again by itself.
      if (source.readyState === EventSource.CLOSED) this.#again();
    };
  }

  async #again() {
    const reply = await fetch('api/session').catch(() => null);
    if (reply && reply.status === 401) {
      this.#become('out', '');
    } else {
      if (reply && reply.ok) this.#become('full', '');
      setTimeout(() => this.start(), 3000);
    }
  }

  /** Milliseconds by the server's clock, on which locks end. */
  now() {
    return this.#clock.now + performance.now() - this.#clock.at;
  }

  /** The wall clock of the server. */
  wall() {
    return this.#clock.wall + performance.now() - this.#clock.at;
  }

  /** How long the store has not answered. */
  silence() {
    return this.lastLook === 0 ? 0 : performance.now() - this.lastLook;
  }

  #become(state, why) {
    const changed = state !== this.state || why !== this.why;
    this.state = state;
    this.why = why;
    if (changed) this.#tell('state');
  }

  #tell(type) {
    this.dispatchEvent(new Event(type));
  }
}

/** Adds what the table sorts and searches by. */
function prepared(lock) {
  lock.sinceMillis = Date.parse(lock.since);
  lock.sought = (lock.name + '\n' + lock.holder.host + '\n' + lock.holder.pid + '\n' + lock.holder.description + '\n' + kind(lock)).toLowerCase();
  lock.waiting = lock.waiters ? lock.waiters.length : 0;
  lock.longest = Math.min(...(lock.waiters ?? []).map((waiter) => (waiter.since ? Date.parse(waiter.since) : Infinity)));
  return lock;
}
