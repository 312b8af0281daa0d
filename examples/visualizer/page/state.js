// State is what the page displays: the result of all records up to the displayed one.
// It has no DOM. Each list is bounded, so that the work per record does not grow with
// the number of objects.

import { Keys } from "./keyset.js";

export const stages = ["socket", "machine", "fifo", "store", "handler", "queue", "worker", "request"];

// The lengths of the lists of recent things.
const recent = 6, mostDeltas = 100, mostEntries = 200, mostRequests = 50;

export class State {
  constructor() {
    this.ready = false; // a snapshot has been displayed
    this.dirty = new Set(); // stages that have changed since they were drawn
    this.entries = []; // the newest records, oldest first
    this.current = ""; // the stage that the last record belongs to
    this.load({}, { t: 0 });
  }

  // load replaces everything by a snapshot.
  load(snapshot, record) {
    this.time = record.t;
    this.skipped = snapshot.skipped ?? 0;
    this.server = snapshot.server ?? {};
    this.controls = snapshot.controls ?? [];
    this.active = new Set(this.controls.filter(({ name, active }) => active && (name === "silence" || name === "away")).map(({ name }) => name));
    this.links = new Map((snapshot.links ?? []).map((links) => [links.stage, links]));
    this.totals = { bytes: 0, chunks: 0, filed: 0, popped: 0, applied: 0, reconciles: 0, errors: 0, ...snapshot.totals };
    this.sockets = new Map((snapshot.sockets ?? []).map((socket) => [socket.conn, { ...socket }]));
    this.chunks = [];
    this.machine = snapshot.machine ?? {};
    this.steps = [];
    this.deltas = snapshot.fifo?.deltas ? [...snapshot.fifo.deltas] : [];
    this.deltaCount = snapshot.fifo?.count ?? 0;
    this.popped = [];
    this.keys = new Keys();
    this.store = { objects: 0, version: "", indexes: [], synced: false };
    if (snapshot.store) this.takeStore(snapshot.store);
    this.applied = [];
    this.batch = undefined;
    this.handlers = (snapshot.handlers ?? []).map((handler) => ({ ...handler }));
    this.queue = copyQueue(snapshot.queue ?? {});
    this.workers = (snapshot.workers ?? []).map(({ key, ms }) => ({ key, since: record.t - ms }));
    this.ended = [];
    this.verbs = { ...snapshot.totals?.requests };
    this.requests = [];
    this.last = new Map(); // by stage: the key and the kind of its last record
    for (const stage of stages) this.dirty.add(stage);
    this.dirty.add("snapshot");
  }

  // apply changes the state as a record says. Records of an unknown stage or kind are
  // only listed: a program of another version may send them.
  apply(record) {
    this.time = record.t;
    if (record.stage === "snapshot") {
      if (record.snapshot) this.load(record.snapshot, record);
      this.ready = true;
    }
    keep(this.entries, record, mostEntries);
    this.dirty.add(record.stage);
    this[`${record.stage}_${record.kind}`]?.(record);
    if (!stages.includes(record.stage) || record.kind === "state") return;
    this.current = record.stage;
    // A record without a key does not remove that of the last one.
    this.last.set(record.stage, { key: record.key ?? this.last.get(record.stage)?.key ?? "", n: record.n });
  }

  // Records of stage socket. The total of a connection includes headers.

  socket_opened({ conn }) {
    this.sockets.set(conn, { conn, request: "", chunks: 0, total: 0 });
  }
  socket_request({ conn, text }) {
    Object.assign(this.socketOf(conn), { request: text, status: "", chunked: false, chunks: 0 });
  }
  socket_response(record) {
    this.receive(record);
    Object.assign(this.socketOf(record.conn), { status: record.text, chunked: record.chunked });
  }
  socket_chunk(record) {
    this.socketOf(record.conn).chunks++;
    this.totals.chunks++;
    this.receive(record);
    keep(this.chunks, { ...record }, recent);
  }
  socket_body(record) {
    this.receive(record);
    keep(this.chunks, { ...record }, recent);
  }
  socket_end(record) {
    this.receive(record);
  }
  socket_closed(record) {
    this.receive(record);
    const watched = this.socketOf(record.conn).request.includes("watch=true");
    this.sockets.delete(record.conn);
    // The reflector closes a connection that has been silent for too long.
    if (watched && this.active.delete("silence")) this.dirty.add("control");
  }
  socketOf(conn) {
    if (!this.sockets.has(conn)) this.socket_opened({ conn });
    return this.sockets.get(conn);
  }
  receive({ conn, total }) {
    const socket = this.socketOf(conn);
    if (total === undefined) return;
    this.totals.bytes += Math.max(0, total - socket.total);
    socket.total = total;
  }

  // Records of stage machine.

  machine_step(record) {
    keep(this.steps, { ...record }, recent);
  }
  machine_state({ machine, t }) {
    this.machine = { ...machine, at: t };
  }

  // Records of stage fifo. Objects of a list are popped without having been filed.

  fifo_filed({ key, version, event }) {
    this.totals.filed++;
    this.nameSources(key, version);
    this.deltaCount++;
    keep(this.deltas, { key, version, event }, mostDeltas);
  }
  // The socket and the state machine do not know keys. The version tells which chunk and
  // which decision the change has come from.
  nameSources(key, version) {
    if (!version) return;
    const chunk = this.chunks.findLast(({ text }) => text?.includes(`"resourceVersion":"${version}"`));
    const step = this.steps.findLast(({ text }) => text?.endsWith(` version=${version}`));
    for (const [stage, record] of [["socket", chunk], ["machine", step]]) {
      if (!record) continue;
      record.source = key;
      this.last.set(stage, { ...this.last.get(stage), key });
      this.dirty.add(stage);
    }
  }

  fifo_popped(record) {
    this.totals.popped++;
    const at = this.deltas.findIndex(({ key, version }) => key === record.key && version === record.version);
    if (at >= 0) {
      this.deltas.splice(at, 1);
      this.deltaCount--;
    }
    if (!this.deltas.length) this.deltaCount = 0;
    keep(this.popped, record, recent);
  }

  // Records of stage store.

  store_applied(record) {
    const { key, event } = record;
    this.totals.applied++;
    if (event === "delete") {
      this.keys.delete(key);
      this.store.objects = Math.max(0, this.store.objects - 1);
    } else {
      this.keys.add(key);
      if (event === "add") this.store.objects++;
    }
    keep(this.applied, record, recent);
  }
  store_batch(record) {
    this.batch = record;
    this.deltaCount = record.pending ?? 0;
    if (!this.deltaCount) this.deltas = [];
    this.dirty.add("fifo");
    this.store.version = record.version || this.store.version;
  }
  store_state({ store }) {
    this.takeStore(store);
  }
  // knowsAllKeys reports whether the page has the keys of all objects.
  get knowsAllKeys() {
    return this.keys.sorted.length >= this.store.objects;
  }
  takeStore(store) {
    const { keys, ...rest } = store;
    this.store = { ...rest, indexes: rest.indexes ?? [] };
    this.keys.learn(keys ?? [], store.objects);
  }

  // Records of stage handler.

  handler_called({ name, key, event }) {
    Object.assign(this.handlerOf(name), { running: key, event });
  }
  handler_returned({ name }) {
    const handler = this.handlerOf(name);
    handler.position++;
    handler.pending = Math.max(0, handler.pending - 1);
    handler.running = undefined;
  }
  handler_panic({ name }) {
    const handler = this.handlerOf(name);
    handler.panics++;
    handler.running = undefined;
  }
  handler_merged({ name }) {
    this.handlerOf(name).merged++;
  }
  handler_state({ handlers }) {
    const running = new Map(this.handlers.map((handler) => [handler.name, handler]));
    this.handlers = handlers.map((handler) => {
      const { running: key, event } = running.get(handler.name) ?? {};
      return { ...handler, running: key, event };
    });
  }
  handlerOf(name) {
    let handler = this.handlers.find((handler) => handler.name === name);
    if (!handler) this.handlers.push(handler = { name, position: 0, pending: 0, merged: 0, panics: 0 });
    return handler;
  }

  // Records of the stages queue and worker. A record of kind state corrects what the
  // others imply.

  queue_queued({ key }) {
    const { queue } = this;
    if (this.workers.some((worker) => worker.key === key)) {
      if (addTo(queue.dirty, key)) queue.dirtyCount++;
    } else if (addTo(queue.waiting, key)) {
      queue.waitingCount++;
    }
  }
  queue_state({ queue }) {
    this.queue = copyQueue(queue);
  }
  worker_started({ key, t }) {
    const { queue } = this;
    if (removeFrom(queue.waiting, key)) queue.waitingCount--;
    if (addTo(queue.processing, key)) queue.processingCount++;
    this.workers = this.workers.filter((worker) => worker.key !== key);
    this.workers.push({ key, since: t });
    this.dirty.add("queue");
  }
  worker_ended(record) {
    const { queue } = this, { key } = record;
    if (removeFrom(queue.processing, key)) queue.processingCount--;
    this.workers = this.workers.filter((worker) => worker.key !== key);
    if (removeFrom(queue.dirty, key)) {
      queue.dirtyCount--;
      if (addTo(queue.waiting, key)) queue.waitingCount++;
    }
    this.totals.reconciles++;
    if (record.error) this.totals.errors++;
    keep(this.ended, record, recent);
    this.dirty.add("queue");
  }

  // A record of stage control. The program does not report the end of an effect, except
  // for these.

  control_used({ name, error }) {
    if (error) return;
    if (name === "silence" || name === "away") this.active.add(name);
    if (name === "speak") this.active.delete("silence");
    if (name === "back") this.active.delete("away");
  }
  isActive({ name }) {
    if (name === "slow") return this.handlers.some(({ delayMs }) => delayMs > 0);
    return this.active.has(name);
  }

  // Records of stage request.

  request_started(record) {
    keep(this.requests, { ...record, pending: true }, mostRequests);
    this.verbs[record.verb] = (this.verbs[record.verb] ?? 0) + 1;
  }
  request_done(record) {
    const { requests } = this;
    const at = requests.findIndex((r) => r.pending && r.method === record.method && r.path === record.path);
    if (at < 0) keep(requests, record, mostRequests);
    else requests[at] = { ...record, n: requests[at].n };
  }
  // The name of an object that was created is known from the response.
  request_wrote({ verb, key }) {
    const request = this.requests.findLast((r) => r.verb === verb && !r.key);
    if (request) request.key = key;
  }
}

// keep appends to a list, and removes the oldest elements beyond most.
function keep(list, item, most) {
  list.push(item);
  if (list.length > most) list.splice(0, list.length - most);
}

// addTo adds a key to a list that does not have it. The list has at most 100 keys, the
// count beside it has no bound.
function addTo(list, key) {
  if (list.includes(key)) return false;
  if (list.length < 100) list.push(key);
  return true;
}

function removeFrom(list, key) {
  const at = list.indexOf(key);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

function copyQueue(queue) {
  const copy = {};
  for (const name of ["waiting", "processing", "dirty", "delayed"]) {
    copy[name] = [...(queue[name] ?? [])];
    copy[name + "Count"] = queue[name + "Count"] ?? copy[name].length;
  }
  return copy;
}
