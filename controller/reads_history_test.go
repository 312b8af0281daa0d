package controller_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readsHistory is the reference implementation of reads in a reconcile: it has all
// changes that the informers of a controller have stored and all reconciles with what
// they read and wrote, and decides with loops over all of them what the controller had
// to reconcile. One counter numbers everything, as in a log.
type readsHistory struct {
	// registrations are the calls of For, Owns, Watches and Reads.
	registrations []registration
	events        []changeEvent
	// reconciles are in the order of their start.
	reconciles []*reconcileRecord
	// sends are the keys that were sent to the channel. stale are those whose writes
	// were not observed in time, which are reconciled again. notes are for the analysis
	// of failures.
	sends, stale, notes []keyAt
	// runs are the runs of the controller. Only the last one may be active.
	runs []runRecord
	// writers has the writers of each version of an object. Two writers return the
	// same version if one of them has changed nothing.
	writers map[string][]string
	// restored: the server was restored since the last check, or the namespaces of an
	// informer have changed. Versions then do not show whether a read was fresh.
	restored bool
	// merging: handlers merge notifications.
	merging bool
	// checkedUpTo is the number of the last check at rest.
	checkedUpTo int
}

// registration is a call of For, Owns, Watches or Reads with an informer.
type registration struct {
	kind, role string
	// narrow: the predicate accepts only updates that change the value.
	narrow bool
	// notOwn: NotOwnWrites is set.
	notOwn bool
	// ignoresDeletes: FilterDeletes rejects all.
	ignoresDeletes bool
}

// itemState is a state of an object, as far as the test needs it.
type itemState struct {
	uid, version string
	// value is what predicates compare. colors are the values of the index, separated
	// by commas. request is the key of the owner or target.
	value, colors, request string
}

// changeEvent is a change of the store of an informer.
type changeEvent struct {
	number int
	at     time.Time
	kind   string
	key    string
	// old is nil if the object was added, new is nil if it was deleted.
	old, new *itemState
	listed   bool
	epoch    int
	revision uint64
}

func (e *changeEvent) String() string {
	what := "added"
	switch {
	case e.new == nil:
		what = "deleted"
	case e.old != nil:
		what = fmt.Sprintf("%s -> ", e.old.version)
	}
	if e.new != nil {
		what += fmt.Sprintf(" %s value %s colors %s", e.new.version, e.new.value, e.new.colors)
	}
	if e.listed {
		what += " (listed)"
	}
	return fmt.Sprintf("%s %s %s revision %d", e.kind, e.key, what, e.revision)
}

type keyAt struct {
	number int
	key    string
}

type runRecord struct {
	// number is that of the start, synced that of the end of the initial keys, ended
	// that of the stop; 0 if not yet.
	number, synced, ended int
}

// reconcileRecord is one call of Reconcile.
type reconcileRecord struct {
	key              string
	number, returned int
	returnedAt       time.Time
	// run is the index in runs.
	run    int
	reads  []readRecord
	writes []writeRecord
	// outcome is success, delayed, error, terminal, panic or goexit.
	outcome string
	// forExists: an informer of For had the object when Reconcile returned.
	forExists bool
	// firstEpoch and lastEpoch are the epochs at the start and at the end, by kind and
	// namespace.
	firstEpoch, lastEpoch map[string]int
}

func (r *reconcileRecord) succeeded() bool { return r.outcome == "success" || r.outcome == "delayed" }

// requeues reports whether the outcome causes another reconcile after a delay.
func (r *reconcileRecord) requeues() bool { return r.outcome != "success" && r.outcome != "terminal" }

// dependency is what a read depends on.
type dependency struct {
	kind string
	// form is key, value (of the index), namespace or all.
	form, of string
}

func (d dependency) String() string { return fmt.Sprintf("%s %s %s", d.kind, d.form, d.of) }

// readRecord is a read. The revision of the store is that between before and after.
type readRecord struct {
	number        int
	dependency    dependency
	seen          map[string]itemState
	before, after uint64
	// failed: the read has returned an error. It may be a dependency.
	failed bool
}

// writeRecord is a write that has returned.
type writeRecord struct {
	number    int
	kind, key string
	verb      string
	// uid and version are those of the response, and state is the written state. A
	// deletion has the uid only.
	uid, version string
	state        itemState
	deleted      bool
	// excluded: the informer did not have the namespace at the time of the write.
	excluded bool
}

// object identifies a version of an object.
func objectVersion(kind, key, version string) string { return kind + " " + key + " " + version }

// wrote records the writer of a version.
func (h *readsHistory) wrote(writer, kind, key, version string) {
	if h.writers == nil {
		h.writers = map[string][]string{}
	}
	id := objectVersion(kind, key, version)
	if !slices.Contains(h.writers[id], writer) {
		h.writers[id] = append(h.writers[id], writer)
	}
}

func (h *readsHistory) hasFor() bool {
	return slices.ContainsFunc(h.registrations, func(r registration) bool { return r.role == "for" })
}

// accepts reports whether the predicates of any registration accept an update.
func (h *readsHistory) accepts(kind string, old, new itemState) bool {
	for _, r := range h.registrations {
		if r.kind == kind && (!r.narrow || old.value != new.value) {
			return true
		}
	}
	return false
}

// hasColor reports whether the index has the state under the value.
func (s *itemState) hasColor(color string) bool {
	return s != nil && !strings.Contains(s.colors, "panic") && slices.Contains(strings.Split(s.colors, ","), color)
}

// covers reports whether a dependency includes the state of an object.
func (d dependency) covers(key string, s *itemState) bool {
	if s == nil {
		return false
	}
	switch d.form {
	case "key":
		return d.of == key
	case "value":
		return s.hasColor(d.of)
	case "namespace":
		return strings.HasPrefix(key, d.of+"/")
	}
	return true
}

// affects reports whether a change counts for a dependency.
func (h *readsHistory) affects(e *changeEvent, d dependency) bool {
	if e.kind != d.kind {
		return false
	}
	before, after := d.covers(e.key, e.old), d.covers(e.key, e.new)
	return before != after || before && h.accepts(e.kind, *e.old, *e.new)
}

// mapped returns the keys for which the handlers of For, Owns and Watches queue a
// change.
func (h *readsHistory) mapped(e *changeEvent) (keys []string) {
	for _, r := range h.registrations {
		switch {
		case r.kind != e.kind || r.role == "reads":
		case e.new == nil && r.ignoresDeletes:
		case e.old != nil && e.new != nil && r.narrow && e.old.value == e.new.value:
		case r.role == "for":
			keys = append(keys, e.key)
		default:
			for _, s := range []*itemState{e.old, e.new} {
				if s != nil && s.request != "" {
					keys = append(keys, s.request)
				}
			}
		}
	}
	return keys
}

// answer is yes, no or maybe.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// own reports whether a change is one of the key's own writes, which NotOwnWrites
// drops.
func (h *readsHistory) own(e *changeEvent, key string) answer {
	if e.new == nil || e.listed || !slices.ContainsFunc(h.registrations, func(r registration) bool { return r.kind == e.kind && r.notOwn }) {
		return no
	}
	// Records end at the next start of the key. The start of a reconcile and an event
	// can be at the same time, so that an earlier reconcile may count.
	result := yes
	for _, r := range h.inReverse(key, e.number) {
		if answer := min(result, h.ownOf(e, r)); answer != no {
			return answer
		}
		result = maybe
	}
	return no
}

func (h *readsHistory) ownOf(e *changeEvent, r *reconcileRecord) answer {
	at := slices.IndexFunc(r.writes, func(w writeRecord) bool {
		return !w.deleted && w.kind == e.kind && w.key == e.key && w.version == e.new.version && w.uid == e.new.uid
	})
	if at < 0 || !r.succeeded() {
		return no
	}
	result := yes
	if writers := h.writers[objectVersion(e.kind, e.key, e.new.version)]; len(writers) > 1 {
		result = maybe // the write may have changed nothing
	}
	namespace := e.kind + " " + namespaceOf(e.key)
	switch first, last := r.firstEpoch[namespace], r.lastEpoch[namespace]; {
	case e.epoch < first || e.epoch > last:
		return no
	case first != last:
		result = maybe
	}
	switch {
	case e.old == nil && r.writes[at].verb == "create":
		return result
	case e.old == nil:
		return no
	case e.old.uid != e.new.uid:
		return no
	}
	return min(result, r.preceding(e))
}

// preceding reports whether the old state of an update was written earlier by the
// reconcile, or was seen by all its reads of the object with Get.
func (r *reconcileRecord) preceding(e *changeEvent) answer {
	var written []string
	for _, w := range r.writes {
		if w.kind == e.kind && w.key == e.key && !w.deleted {
			written = append(written, w.version)
		}
	}
	if slices.Contains(written, e.old.version) {
		return yes
	}
	result := no
	for _, read := range r.reads {
		if read.failed || read.dependency != (dependency{e.kind, "key", e.key}) {
			continue
		}
		switch seen, ok := read.seen[e.key]; {
		case ok && seen.version == e.old.version && seen.uid == e.old.uid:
			if result == no {
				result = yes
			}
		case ok && slices.Contains(written, seen.version):
			return maybe // a read after the write: the rule does not say
		default:
			return no
		}
	}
	return result
}

// inReverse returns the reconciles of a key that started before a number, the last one
// first.
func (h *readsHistory) inReverse(key string, before int) (all []*reconcileRecord) {
	for _, r := range slices.Backward(h.reconciles) {
		if r.key == key && r.number < before {
			all = append(all, r)
		}
	}
	return all
}

// mayBeMerged reports whether a handler that merges notifications may not receive the
// state after a change, or nothing at all: later changes may replace or cancel it, a
// deletion may cancel an addition, and an update may become one without a new value.
func (h *readsHistory) mayBeMerged(e *changeEvent) bool {
	if !h.merging {
		return false
	}
	later := func(other changeEvent) bool {
		return other.kind == e.kind && other.key == e.key && other.number > e.number
	}
	narrow := func(r registration) bool { return r.kind == e.kind && r.narrow }
	return e.new == nil || slices.ContainsFunc(h.events, later) || e.old != nil && slices.ContainsFunc(h.registrations, narrow)
}

// requires returns why a change requires a reconcile of the key that starts later, ""
// if it does not.
func (h *readsHistory) requires(e *changeEvent, key string) (why string) {
	if h.own(e, key) != no {
		return ""
	}
	hasRead := false
	for _, r := range h.inReverse(key, e.number) {
		for _, read := range r.reads {
			switch {
			case read.failed || !h.affects(e, read.dependency):
			case e.revision <= read.after:
				hasRead = true
			case !r.succeeded() || !h.hasFor() || r.forExists: // without an object, nothing is kept
				return fmt.Sprintf("the reconcile with number %d, %s, has read %s at revision %d", r.number, r.outcome, read.dependency, read.after)
			}
		}
		if r.succeeded() {
			break
		}
	}
	if hasRead {
		return "" // the reconcile started before the event, and has read the new state
	}
	run := h.runs[len(h.runs)-1]
	if run.synced > 0 && e.number > run.synced && slices.Contains(h.mapped(e), key) && !h.mayBeMerged(e) {
		return "it is mapped to the key"
	}
	return ""
}

// allows reports whether a change may cause a reconcile of the key.
func (h *readsHistory) allows(e *changeEvent, key string) bool {
	if h.own(e, key) == yes {
		return false
	}
	if slices.Contains(h.mapped(e), key) {
		return true
	}
	for _, r := range h.inReverse(key, e.number) {
		for _, read := range r.reads {
			if e.revision > read.before && h.affects(e, read.dependency) {
				return true
			}
		}
		if r.succeeded() && r.returned > 0 && r.returnedAt.Before(e.at) {
			break // a set is replaced shortly after Reconcile has returned
		}
	}
	return false
}

// keys returns all keys of reconciles and mapped changes.
func (h *readsHistory) keys() (keys []string) {
	for _, r := range h.reconciles {
		keys = append(keys, r.key)
	}
	for i := range h.events {
		keys = append(keys, h.mapped(&h.events[i])...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// check reports the first violation of a rule. It is called at rest, while the
// controller runs: nothing is queued or in work, and the informers have everything
// that the server has. server has the objects by kind and key.
func (h *readsHistory) check(now int, server map[string]map[string]itemState) error {
	for _, key := range h.keys() {
		if err := h.checkRequired(key); err != nil {
			return err
		}
		if err := h.checkSuperfluous(key); err != nil {
			return err
		}
		if err := h.checkUnchanged(key, server); err != nil {
			return err
		}
	}
	for _, r := range h.reconciles {
		if r.returned > h.checkedUpTo && !h.restored {
			if err := h.checkFresh(r); err != nil {
				return err
			}
		}
	}
	if err := h.checkInitial(server); err != nil {
		return err
	}
	h.checkedUpTo, h.restored = now, false
	return nil
}

// checkRequired checks that a reconcile has started after each change that requires
// one.
func (h *readsHistory) checkRequired(key string) error {
	last := 0
	for _, r := range h.reconciles {
		if r.key == key {
			last = r.number
		}
	}
	for i := range h.events {
		e := &h.events[i]
		if e.number <= h.checkedUpTo || e.number < last {
			continue
		}
		if why := h.requires(e, key); why != "" {
			return fmt.Errorf("%s was not reconciled after number %d, %s: %s", key, e.number, e, why)
		}
	}
	return nil
}

// checkSuperfluous checks that since the last check there were not more reconciles
// than causes.
func (h *readsHistory) checkSuperfluous(key string) error {
	count, causes := 0, []string(nil)
	for i, r := range h.reconciles {
		if r.key == key && r.number > h.checkedUpTo {
			count++
		}
		if r.key == key && r.returned > h.checkedUpTo && r.requeues() {
			causes = append(causes, fmt.Sprintf("number %d was %s", h.reconciles[i].number, r.outcome))
		}
	}
	for _, s := range slices.Concat(h.sends, h.stale) {
		if s.number > h.checkedUpTo && s.key == key {
			causes = append(causes, "the channel, or writes that are late")
		}
	}
	if h.runs[len(h.runs)-1].synced == 0 {
		return nil // each of the existing objects may queue the key once
	}
	for i := range h.events {
		if e := &h.events[i]; e.number > h.checkedUpTo && h.allows(e, key) {
			causes = append(causes, fmt.Sprintf("number %d, %s", e.number, e))
		}
	}
	if count > len(causes) {
		return fmt.Errorf("%s was reconciled %d times since number %d, but there were %d causes: %q", key, count, h.checkedUpTo, len(causes), causes)
	}
	return nil
}

// checkUnchanged checks that nothing that the last successful reconcile of a key has
// read has changed since, except by its own writes. It does not use the events.
func (h *readsHistory) checkUnchanged(key string, server map[string]map[string]itemState) error {
	all := h.inReverse(key, int(^uint(0)>>1))
	at := slices.IndexFunc(all, (*reconcileRecord).succeeded)
	if at < 0 {
		return nil
	}
	r := all[at]
	if h.hasFor() && !r.forExists {
		return nil
	}
	// A change before a later reconcile has caused that one, which has failed.
	if at > 0 {
		return nil
	}
	for _, read := range r.reads {
		seen, now := read.seen, map[string]itemState{}
		for k, s := range server[read.dependency.kind] {
			if read.dependency.covers(k, &s) {
				now[k] = s
			}
		}
		for k, s := range now {
			if old, ok := seen[k]; ok && (old == s || old.uid == s.uid && !h.accepts(read.dependency.kind, old, s)) || h.wroteIt(r, read.dependency, k, s) {
				continue
			}
			return fmt.Errorf("%s: the reconcile with number %d has read %s and has seen %+v for %s; the server has %+v", key, r.number, read.dependency, seen[k], k, s)
		}
		for k, s := range seen {
			if _, ok := now[k]; ok {
				continue
			}
			current, exists := server[read.dependency.kind][k]
			if exists && h.wroteIt(r, read.dependency, k, current) {
				continue
			}
			return fmt.Errorf("%s: the reconcile with number %d has read %s and has seen %s with %+v, which is not part of it any more", key, r.number, read.dependency, k, s)
		}
	}
	return nil
}

// wroteIt reports whether a state is that of a write of the reconcile that NotOwnWrites
// may drop, or differs from it by what predicates reject.
func (h *readsHistory) wroteIt(r *reconcileRecord, d dependency, key string, s itemState) bool {
	return slices.ContainsFunc(h.registrations, func(reg registration) bool { return reg.kind == d.kind && reg.notOwn }) &&
		slices.ContainsFunc(r.writes, func(w writeRecord) bool {
			return w.kind == d.kind && w.key == key && !w.deleted && w.uid == s.uid &&
				(w.version == s.version || d.covers(key, &w.state) == d.covers(key, &s) && !h.accepts(d.kind, w.state, s))
		})
}

// checkFresh checks that the reads of a reconcile have seen its earlier writes.
func (h *readsHistory) checkFresh(r *reconcileRecord) error {
	for _, read := range r.reads {
		last := map[string]writeRecord{}
		for _, w := range r.writes {
			if w.kind == read.dependency.kind && w.number < read.number && !read.failed && !w.excluded {
				last[w.key] = w
			}
		}
		for key, w := range last {
			if err := h.checkSeen(read, key, w); err != nil {
				return fmt.Errorf("%s: the reconcile with number %d: number %d: %w", r.key, r.number, read.number, err)
			}
		}
	}
	return nil
}

// checkSeen checks a read of an object after a write of it.
func (h *readsHistory) checkSeen(read readRecord, key string, w writeRecord) error {
	seen, found := read.seen[key]
	switch {
	case w.deleted:
		if found && seen.uid == w.uid {
			return fmt.Errorf("%s has seen %s at version %s, which this reconcile has deleted", read.dependency, key, seen.version)
		}
	case found && seen.uid == w.uid && versionOf(seen.version) < versionOf(w.version):
		return fmt.Errorf("%s has seen %s at version %s; this reconcile has written version %s", read.dependency, key, seen.version, w.version)
	case !found && read.dependency.form != "value" && read.dependency.covers(key, &itemState{}):
		for i := range h.events {
			if e := &h.events[i]; e.kind == w.kind && e.key == key && e.new == nil && e.old.uid == w.uid {
				return nil
			}
		}
		return fmt.Errorf("%s has not seen %s, of which this reconcile has written version %s", read.dependency, key, w.version)
	}
	return nil
}

// checkInitial checks that each object of For was reconciled in the last run.
func (h *readsHistory) checkInitial(server map[string]map[string]itemState) error {
	for _, reg := range h.registrations {
		if reg.role != "for" {
			continue
		}
		for key := range server[reg.kind] {
			if !slices.ContainsFunc(h.reconciles, func(r *reconcileRecord) bool { return r.key == key && r.run == len(h.runs)-1 }) {
				return fmt.Errorf("%s %s was not reconciled in this run", reg.kind, key)
			}
		}
	}
	return nil
}

// String returns the history as a log.
func (h *readsHistory) String() string {
	type line struct {
		number int
		text   string
	}
	var lines []line
	add := func(number int, format string, args ...any) {
		lines = append(lines, line{number, fmt.Sprintf(format, args...)})
	}
	for i := range h.events {
		add(h.events[i].number, "  event %s", &h.events[i])
	}
	for _, s := range h.sends {
		add(s.number, "  send %s", s.key)
	}
	for _, s := range h.notes {
		add(s.number, "  %s", s.key)
	}
	for _, r := range h.runs {
		add(r.number, "run starts")
		if r.synced > 0 {
			add(r.synced, "run is synced")
		}
		if r.ended > 0 {
			add(r.ended, "run has ended")
		}
	}
	for _, r := range h.reconciles {
		add(r.number, "%s: reconcile", r.key)
		add(r.returned, "%s: the reconcile with number %d returns: %s, object exists: %t", r.key, r.number, r.outcome, r.forExists)
		for _, read := range r.reads {
			add(read.number, "%s: reads %s at revision %d..%d: %+v, failed %t", r.key, read.dependency, read.before, read.after, read.seen, read.failed)
		}
		for _, w := range r.writes {
			add(w.number, "%s: has written %+v", r.key, w)
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.number - b.number })
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(strconv.Itoa(l.number) + " " + l.text + "\n")
	}
	return text.String()
}
