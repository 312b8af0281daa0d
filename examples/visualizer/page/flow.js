// The flow shows all stages at a glance: a number, and the key that has passed last.

import { element, setAttribute, setItems, setText } from "./element.js";
import { flash, newChip, setChip } from "./chip.js";
import { phaseText } from "./sourcepanel.js";
import { stages } from "./state.js";
import { number, size, text } from "./strings.js";

const valueOf = {
  socket: ({ totals }) => size(totals.bytes),
  machine: ({ machine }) => phaseText(machine.phase),
  fifo: ({ deltaCount }) => text("flow.fifo", { count: number(deltaCount) }),
  store: ({ store }) => text("flow.store", { count: number(store.objects) }),
  handler: ({ handlers }) => text("flow.handler", { count: number(handlers.reduce((sum, { pending }) => sum + pending, 0)) }),
  queue: ({ queue }) => text("flow.queue", { count: number(queue.waitingCount) }),
  worker: ({ workers }) => text("flow.worker", { count: number(workers.length) }),
  request: ({ verbs }) => text("flow.request", { count: number(Object.values(verbs).reduce((sum, count) => sum + count, 0)) }),
};

export class Flow {
  constructor(list) {
    this.list = list;
    this.drawn = new Map(); // by stage: the number of the record that is drawn
  }

  draw(state) {
    setItems(this.list, stages, (stage) => stage, (stage) => element("li", {},
      element("a", { href: `#${stage}` }), element("span", { class: "value" }), element("span", { class: "last" }, newChip(""))),
    (item, stage) => {
      const [link, value, last] = item.children;
      setText(link, text(stage));
      setText(value, valueOf[stage](state));
      setAttribute(item, "class", state.current === stage ? "current" : undefined);
      setAttribute(item, "aria-current", state.current === stage ? "step" : undefined);
      const { key, n } = state.last.get(stage) ?? { key: "" };
      setChip(last.firstElementChild, key);
      if (n !== undefined && this.drawn.get(stage) !== n) flash(key ? last.firstElementChild : value);
      this.drawn.set(stage, n);
    });
  }
}
