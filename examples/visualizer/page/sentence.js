// The text of a record, for the log and the timeline.

import { phaseText } from "./sourcepanel.js";
import { answer, duration, hasText, number, text } from "./strings.js";

export function sentence(record) {
  const name = record.stage === "snapshot" ? "entry.snapshot" : `entry.${record.stage}.${record.kind}`;
  return text(hasText(name) ? name : "entry.other", valuesOf(record));
}

function valuesOf(record) {
  const { machine, store, queue } = record;
  const values = { ...record };
  values.status = record.status ? ` ${record.status}` : "";
  const error = machine?.error ?? record.error;
  values.error = error ? text("entry.error", { error }) : "";
  if (record.bytes !== undefined) values.bytes = number(record.bytes);
  if (record.ms !== undefined) values.ms = duration(record.ms);
  if (record.stage === "control" && hasText(`control.${record.name}`)) values.name = text(`control.${record.name}`);
  if (record.code) values.text = answer(record.code, record.values, record.text);
  if (record.snapshot) values.skipped = number(record.snapshot.skipped ?? 0);
  if (machine) Object.assign(values, { phase: phaseText(machine.phase) });
  if (store) Object.assign(values, { objects: number(store.objects), version: store.version });
  if (queue) Object.assign(values, { waiting: number(queue.waitingCount), processing: number(queue.processingCount) });
  return values;
}

// seconds formats the time of a record.
export function seconds(t) {
  return (t / 1000).toFixed(3);
}
