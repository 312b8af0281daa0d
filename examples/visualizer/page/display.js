// The display loop: it takes records from the player when they are due, and draws once
// per animation frame. Without due records it requests no frame and has no timer.

// The time per frame for applying records, in milliseconds. Drawing takes the rest of
// the eight that a frame may take.
const budget = 3;

export class Display {
  // apply is called with each record that is displayed, and draw once afterwards.
  constructor(player, apply, draw) {
    this.player = player;
    this.apply = apply;
    this.draw = draw;
    this.frame = 0;
    this.timer = 0;
    this.dirty = false;
    document.addEventListener("visibilitychange", () => this.wake());
  }

  receive(records) {
    this.player.push(records);
    // A hidden page has no frames. In live mode it still follows, without drawing.
    if (document.hidden && this.player.mode === "live") this.applyDue(Infinity);
    this.changed();
  }

  // changed requests a drawing.
  changed() {
    this.dirty = true;
    this.wake();
  }

  step() {
    const record = this.player.step(performance.now());
    if (record) this.apply(record);
    this.changed();
  }

  // wake schedules the next frame.
  wake() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.frame || document.hidden) return;
    const wait = this.dirty ? 0 : this.player.dueAt() - performance.now();
    if (wait <= 0) this.frame = requestAnimationFrame(() => this.run());
    else if (wait < Infinity) this.timer = setTimeout(() => this.wake(), wait);
  }

  run() {
    this.frame = 0;
    const began = performance.now();
    this.dirty = false;
    this.applyDue(began + budget);
    this.draw();
    // For the developer tools and the tests. The browser would keep all measures.
    performance.clearMeasures("frame");
    performance.measure("frame", { start: began });
    this.wake();
  }

  // applyDue applies records until none is due or the time is over.
  applyDue(until) {
    const now = performance.now();
    for (let n = 1, record; (record = this.player.take(now)); n++) {
      this.apply(record);
      if (n % 8 === 0 && performance.now() > until) break;
    }
  }
}
