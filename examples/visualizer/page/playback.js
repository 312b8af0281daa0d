// The controls of the player: pause, single steps, speed, and live. They act on the
// display only.

import { element, setAttribute, setText } from "./element.js";
import { speeds } from "./player.js";
import { number, text } from "./strings.js";

const byId = (id) => document.getElementById(id);

export class Playback {
  constructor(player, display) {
    this.player = player;
    this.display = display;
    this.failure = ""; // why the log could not be read
    this.pause = byId("pause");
    this.live = byId("live");
    this.speed = byId("speed");
    this.position = byId("position");
    this.speed.append(...speeds.map((speed) => element("option", { value: speed }, `${speed}×`)));
    this.speed.value = player.speed;
    this.speed.addEventListener("change", () => this.setSpeed(Number(this.speed.value)));
    this.pause.addEventListener("click", () => this.actions.pause());
    this.live.addEventListener("click", () => this.actions.live());
    byId("replay").addEventListener("click", () => this.actions.replay());
    byId("step").addEventListener("click", () => this.actions.step());
    this.actions = {
      pause: () => this.setMode(player.mode === "paused" ? "playing" : "paused"),
      // A step pauses, since the next record would otherwise follow at once.
      step: () => {
        player.mode = "paused";
        display.step();
      },
      replay: () => this.replay(),
      live: () => this.setMode(player.mode === "live" ? "playing" : "live"),
      slower: () => this.setSpeed(speeds[Math.max(0, speeds.indexOf(player.speed) - 1)]),
      faster: () => this.setSpeed(speeds[Math.min(speeds.length - 1, speeds.indexOf(player.speed) + 1)]),
    };
  }

  // replay plays everything that the program has recorded.
  async replay() {
    this.failure = "";
    try {
      const response = await fetch("log", { cache: "no-store" });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      const { state, records } = await response.json();
      if (state) this.player.replay(state, records ?? []);
    } catch (error) {
      this.failure = error.message;
    }
    this.display.changed();
  }

  setMode(mode) {
    this.failure = "";
    this.player.mode = mode;
    this.display.changed();
  }

  // setSpeed also ends the live mode, which has no speed.
  setSpeed(speed) {
    if (this.player.mode === "live") this.player.mode = "playing";
    this.player.speed = speed;
    this.speed.value = speed;
    this.display.changed();
  }

  draw() {
    const { mode, waitingCount, behind, skipped } = this.player;
    setText(this.pause, text(mode === "paused" ? "play" : "pause"));
    setAttribute(this.live, "aria-pressed", String(mode === "live"));
    const name = mode === "live" ? "live" : waitingCount ? mode : mode === "paused" ? "pausedAtEnd" : "atEnd";
    let message = text(`position.${name}`, { behind: (behind / 1000).toFixed(1), count: number(waitingCount) });
    if (skipped) message += ` ${text("position.skipped", { count: number(skipped) })}`;
    if (this.failure) message = text("position.failed", { error: this.failure });
    setText(this.position, message);
    setAttribute(this.position, "class", mode !== "live" && waitingCount ? "behind" : undefined);
  }
}
