// The panels of the stages before the store: socket, reflector and DeltaFIFO.

import { ChipGroup, Facts, newest, Panel, RowGroup } from "./panel.js";
import { duration, hasText, number, size, text } from "./strings.js";

export class SocketPanel extends Panel {
  constructor(number) {
    super("socket", number);
    this.facts = new Facts();
    this.connections = new RowGroup();
    this.chunks = new RowGroup();
    this.body.append(this.facts.list, ...this.connections.parts, ...this.chunks.parts);
  }

  drawBody({ totals, sockets, chunks }) {
    this.facts.draw([["bytes", text("bytes.value", { bytes: size(totals.bytes), chunks: number(totals.chunks) })]]);
    const open = [...sockets.values()].slice(-6);
    this.connections.draw(text("connections"), open.map((socket) => ({
      id: socket.conn,
      head: text("connection.number", socket),
      detail: socket.chunked ? text("connection.chunks", { chunks: number(socket.chunks), total: size(socket.total) }) : size(socket.total),
      code: socket.request || text("connection.idle"),
    })), sockets.size);
    this.chunks.draw(text("chunks"), newest(chunks, 3).map((chunk) => ({
      id: chunk.n,
      key: chunk.source,
      detail: text("chunk.size", { bytes: number(chunk.bytes ?? 0), conn: chunk.conn }),
      code: chunk.text ?? "",
    })));
  }
}

const healthOf = { watching: "healthy", waiting: "failing", stopped: "neutral", idle: "neutral" };

export function phaseText(phase) {
  return hasText(`phase.${phase}`) ? text(`phase.${phase}`) : phase ?? "";
}

export class MachinePanel extends Panel {
  constructor(number) {
    super("machine", number);
    this.facts = new Facts();
    this.steps = new RowGroup();
    this.body.append(this.facts.list, ...this.steps.parts);
  }

  drawBody({ machine, steps }) {
    this.facts.draw([
      ["phase", phaseText(machine.phase), `badge ${healthOf[machine.phase] ?? "waiting"}`],
      ["retry", machine.retryInMs ? text("retry.value", { time: duration(machine.retryInMs) }) : ""],
      ["version", machine.version],
      ["mode", machine.mode],
      ["relists", machine.relists ? [machine.relists, machine.relistReason].filter(Boolean).join(": ") : "0"],
      ["failures", machine.failures],
      ["error", machine.error],
    ]);
    this.steps.draw(text("steps"), newest(steps).map((step) => ({ id: step.n, key: step.source, code: `${step.text ?? ""} → ${step.outcome ?? ""}` })));
  }
}

export class FIFOPanel extends Panel {
  constructor(number) {
    super("fifo", number);
    this.deltas = new ChipGroup();
    this.popped = new ChipGroup();
    this.body.append(...this.deltas.parts, ...this.popped.parts);
  }

  drawBody({ deltas, deltaCount, popped }) {
    this.deltas.draw(text("deltas"), deltas.slice(0, 12).map(({ key, version, event }) => ({ id: `${key} ${version} ${event}`, key, note: event })), deltaCount);
    this.popped.draw(text("popped"), newest(popped).map(({ n, key, event }) => ({ id: n, key, note: event })));
  }
}
