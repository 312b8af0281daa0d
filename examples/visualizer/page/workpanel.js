// The panels of the stages after the store: handlers, queue, workers and requests.

import { element, setAttribute, setItems, setText } from "./element.js";
import { newChip, setChip } from "./chip.js";
import { ChipGroup, Facts, newest, Panel, RowGroup } from "./panel.js";
import { duration, number, text } from "./strings.js";

export class HandlerPanel extends Panel {
  constructor(number) {
    super("handler", number);
    this.rows = element("ul", { class: "rows" });
    this.body.append(this.rows);
  }

  drawBody({ handlers }) {
    const most = Math.max(1, ...handlers.map(({ pending }) => pending));
    setItems(this.rows, handlers, ({ name }) => name, newHandler, (row, handler) => drawHandler(row, handler, most));
  }
}

// A handler has its name and what it runs, a bar as long as its backlog, and counts.
function newHandler() {
  return element("li", {},
    element("div", { class: "pair" }, element("b"), element("span", { class: "soft" }), newChip("")),
    element("meter", { min: 0 }), element("p", { class: "soft" }), element("p", { class: "failing-text" }));
}

function drawHandler(row, handler, most) {
  const [head, meter, counts, failures] = row.children;
  const [name, activity, chip] = head.children;
  setText(name, handler.name);
  const busy = Boolean(handler.running || handler.busyMs);
  setText(activity, handler.running ? handler.event ?? "" : text(busy ? "handler.running" : "handler.idle"));
  chip.hidden = !handler.running;
  setChip(chip, handler.running ?? "");
  setAttribute(meter, "max", most);
  setAttribute(meter, "value", handler.pending);
  setAttribute(meter, "aria-label", text("handler.pending", { pending: number(handler.pending) }));
  const parts = [
    text("handler.position", { position: number(handler.position) }),
    text("handler.pending", { pending: number(handler.pending) }),
  ];
  if (handler.merged) parts.push(text("handler.merged", { merged: number(handler.merged) }));
  if (handler.delayMs) parts.push(text("handler.delay", { delay: number(handler.delayMs) }));
  if (handler.synced === false) parts.push(text("handler.unsynced"));
  setText(counts, parts.join(" · "));
  setText(failures, handler.panics ? text("handler.panics", { panics: number(handler.panics) }) : "");
  failures.hidden = !handler.panics;
}

export class QueuePanel extends Panel {
  constructor(number) {
    super("queue", number);
    this.groups = new Map(["waiting", "processing", "dirty", "delayed"].map((name) => [name, new ChipGroup()]));
    for (const [name, group] of this.groups) {
      group.list.id = `queue-${name}`;
      this.body.append(...group.parts);
    }
  }

  drawBody({ queue }) {
    for (const [name, group] of this.groups) {
      const count = queue[`${name}Count`];
      const items = queue[name].slice(0, 12).map((item) => item.key === undefined ? { id: item, key: item } : { id: item.key, key: item.key, note: duration(item.inMs) });
      group.draw(text(`queue.${name}`, { count: number(count) }), items, count);
    }
  }
}

export class WorkerPanel extends Panel {
  constructor(number) {
    super("worker", number);
    this.facts = new Facts();
    this.working = new ChipGroup();
    this.ended = new RowGroup();
    this.body.append(this.facts.list, ...this.working.parts, ...this.ended.parts);
  }

  drawBody({ totals, workers, ended }) {
    this.facts.draw([["reconciles", text("reconciles.value", { count: number(totals.reconciles), errors: number(totals.errors) })]]);
    this.working.draw(text("working"), workers.slice(0, 12).map(({ key, since }) => ({ id: `${key} ${since}`, key })), workers.length);
    this.ended.draw(text("ended"), newest(ended).map((record) => ({
      id: record.n,
      key: record.key,
      head: record.error || record.outcome || "",
      className: record.error ? "failing-text clamped" : "",
      detail: [duration(record.ms ?? 0), record.requeueMs ? text("ended.requeue", { time: duration(record.requeueMs) }) : ""].filter(Boolean).join(" · "),
    })));
  }
}

export class RequestPanel extends Panel {
  constructor(number) {
    super("request", number);
    this.facts = new Facts();
    this.rows = new RowGroup();
    this.body.append(this.facts.list, ...this.rows.parts);
  }

  drawBody({ verbs, requests }) {
    const sent = Object.entries(verbs).sort().map(([verb, count]) => `${verb} ${number(count)}`).join(" · ");
    this.facts.draw([["verbs", sent || text("none")]]);
    this.rows.draw(text("requests"), newest(requests, 6).map((record) => ({
      id: record.n,
      key: record.key,
      head: record.pending ? "" : String(record.error || record.status || ""),
      className: record.error ? "failing-text clamped" : record.status >= 400 ? "failing-text" : "",
      detail: record.pending ? text("request.pending") : duration(record.ms ?? 0),
      code: `${record.method ?? ""} ${record.path ?? ""}`,
    })));
  }
}
