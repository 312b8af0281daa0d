// Player decides when each record of the log is displayed. It has no DOM, no timers and
// no clock: its callers pass the time.

// Records that are close together are displayed at least shortestGap apart, so that an
// event that passes all stages within a millisecond can be followed. A longer pause of
// the program is displayed with at most longestGap. Both are milliseconds at speed 1.
export const shortestGap = 180, longestGap = 1200;

// mostWaiting bounds the memory of a display that is paused or slow. The oldest records
// beyond it are applied without being displayed.
export const mostWaiting = 20000;

// A frame may be this late.
const frame = 100;

export const speeds = [0.25, 0.5, 1, 2, 4, 8];

export class Player {
  constructor() {
    // Or "playing" or "paused". A page that is opened during a large start-up would
    // otherwise be far behind.
    this.mode = "live";
    this.speed = 1;
    this.waiting = []; // the records from head on
    this.head = 0;
    this.shownAt = -Infinity; // when the last record was displayed
    this.shownTime = 0; // the time of that record in the log
    this.newest = 0; // the number of the newest record that has been received
    this.newestTime = 0; // and its time
    this.skipped = 0; // records that were applied without being displayed
  }

  // push adds received records. A replayed log may already have some of them.
  push(records) {
    for (const record of records) {
      if (record.stage !== "snapshot" && record.n <= this.newest) continue;
      this.waiting.push(record);
      this.newest = record.n;
      this.newestTime = record.t;
    }
  }

  // replay begins again with a snapshot and the records after it. Records that wait and
  // are newer follow them.
  replay(snapshot, records) {
    const waiting = this.waiting.slice(this.head);
    this.waiting = [snapshot, ...records];
    this.head = 0;
    this.skipped = 0;
    const last = this.waiting[this.waiting.length - 1];
    for (const record of waiting) if (record.n > last.n) this.waiting.push(record);
    if (last.n > this.newest) [this.newest, this.newestTime] = [last.n, last.t];
    this.mode = "playing";
  }

  get waitingCount() {
    return this.waiting.length - this.head;
  }

  // behind returns how many milliseconds of the log have not been displayed.
  get behind() {
    return this.waitingCount ? Math.max(0, this.newestTime - this.shownTime) : 0;
  }

  // dueAt returns when the next record is displayed: Infinity if none is.
  dueAt() {
    if (!this.waitingCount) return Infinity;
    const next = this.waiting[this.head];
    // A snapshot replaces the whole display: nothing is gained by waiting for it.
    if (this.mode === "live" || next.stage === "snapshot" || this.waitingCount > mostWaiting) return -Infinity;
    if (this.mode === "paused") return Infinity;
    // A state only confirms or corrects what the records before it have displayed.
    if (next.kind === "state") return this.shownAt;
    const gap = Math.min(Math.max(next.t - this.shownTime, shortestGap), longestGap);
    return this.shownAt + gap / this.speed;
  }

  // take returns the next record if it is due, undefined otherwise.
  take(now) {
    const due = this.dueAt();
    if (due > now) return undefined;
    if (this.waitingCount > mostWaiting && this.mode !== "live") this.skipped++;
    // A late frame does not delay the records after it; a pause does.
    return this.shift(now - due < frame ? due : now);
  }

  // step returns the next record whether or not it is due, undefined if none waits.
  step(now) {
    return this.waitingCount ? this.shift(now) : undefined;
  }

  shift(at) {
    const record = this.waiting[this.head];
    this.waiting[this.head++] = undefined;
    if (this.head > 1024 && this.head * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.head);
      this.head = 0;
    }
    if (at > -Infinity) this.shownAt = at;
    this.shownTime = record.t;
    return record;
  }
}
