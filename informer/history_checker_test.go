package informer

import (
	"fmt"
	"slices"
	"time"
)

// objectState is an observed state of an object. The content distinguishes states with
// the same version.
type objectState struct{ uid, version, content string }

func (s objectState) String() string {
	if s.content == "" {
		return s.version + "/" + s.uid
	}
	return s.version + "/" + s.uid + ", content " + s.content
}

// callback is one callback of a handler.
type callback struct {
	at   time.Duration
	kind notificationKind // added, updated or deleted
	key  string
	// old is the previous state, for updated and deleted; new is the new state, for
	// added and updated. For deleted, old is the argument of the callback.
	old, new objectState
	// same: old and new of an update were the same object, as in a resync.
	same bool
	// initial and unknown are the flags of OnAdd and OnDelete.
	initial, unknown bool
	// synced: the registration was synced when the callback began.
	synced bool
	// begin and end are ticks of one counter per handler, to detect callbacks that
	// overlap.
	begin, end int
}

func (c callback) String() string {
	switch c.kind {
	case added:
		if c.initial {
			return fmt.Sprintf("OnAdd(%s %s, initial)", c.key, c.new)
		}
		return fmt.Sprintf("OnAdd(%s %s)", c.key, c.new)
	case updated:
		if c.same {
			return fmt.Sprintf("OnUpdate(%s %s, resync)", c.key, c.new)
		}
		return fmt.Sprintf("OnUpdate(%s %s -> %s)", c.key, c.old, c.new)
	case deleted:
		if c.unknown {
			return fmt.Sprintf("OnDelete(%s %s, unknown)", c.key, c.old)
		}
		return fmt.Sprintf("OnDelete(%s %s)", c.key, c.old)
	}
	return fmt.Sprintf("kind %d", c.kind)
}

// keyedState is one object that the source has returned.
type keyedState struct {
	key string
	objectState
}

// history has all callbacks of one handler, and the facts that are needed to check
// them.
type history struct {
	name      string
	callbacks []callback
	// merging: notifications may have been merged, so some states may be missing,
	// and the order holds per key only.
	merging bool
	// resyncs: the handler has a resync period.
	resyncs bool
	// flags: synced was recorded for each callback.
	flags bool
	// source is all that the source has returned since the handler was added, in
	// order; nil if it was not recorded.
	source []keyedState
	// ends: the source reports a deletion with a state of its own, except for keys
	// with an unreadable event.
	ends       bool
	unreadable map[string]bool
	// first is the content of the store when the handler was added, which must be
	// delivered first; nil if the informer was empty.
	first map[string]objectState
	// reference is what a handler that never merges received from then on; nil if
	// there is none.
	reference []callback
	// late: the handler was added when others had received callbacks, or the store was
	// not empty.
	late bool
	// removed: Remove returned after atRemoval callbacks had begun.
	removed   bool
	atRemoval int
	// synced: the registration was synced at the end.
	synced bool
	// end is the content of the server at the end; nil if the handler was removed.
	end map[string]objectState
}

// check returns an error if the history is not legal: for each key OnAdd, then
// OnUpdates, then OnDelete; old and new states are consecutive; the order is the
// order of arrival; the initial list is first, complete, and before synced; at the
// end the handler has received the content of the server.
func (s *history) check() error {
	c := historyCheck{history: s, known: map[string]objectState{}, perKey: map[string]int{}}
	for i, call := range s.callbacks {
		if err := c.callback(call); err != nil {
			return fmt.Errorf("handler %s, callback %d at %s, %s: %w", s.name, i, call.at, call, err)
		}
	}
	if err := c.finish(); err != nil {
		return fmt.Errorf("handler %s: %w", s.name, err)
	}
	return nil
}

// historyCheck is the state of a check.
type historyCheck struct {
	*history
	known map[string]objectState
	// changes reports whether anything but the initial list has been received.
	changes bool
	ended   int
	// position is the position in source; perKey is the same for each key, for
	// histories with merging.
	position int
	perKey   map[string]int
	initial  map[string]objectState
}

func (c *historyCheck) callback(call callback) error {
	if call.begin < c.ended {
		return fmt.Errorf("it began before the previous callback had ended")
	}
	c.ended = call.end
	last, known := c.known[call.key]
	switch call.kind {
	case added:
		return c.added(call, last, known)
	case updated:
		return c.updated(call, last, known)
	case deleted:
		return c.deleted(call, last, known)
	}
	return fmt.Errorf("unknown kind of callback")
}

func (c *historyCheck) added(call callback, last objectState, known bool) error {
	switch {
	case known:
		return fmt.Errorf("the handler has already received %s", last)
	case call.initial && call.synced:
		return fmt.Errorf("it is part of the initial list, but the registration was synced")
	case call.initial && c.changes && !c.merging:
		return fmt.Errorf("it is part of the initial list, but follows changes")
	case !call.initial && c.flags && !call.synced && !c.merging:
		return fmt.Errorf("it precedes the sync of the registration, but is not marked as part of the initial list")
	}
	c.known[call.key] = call.new
	if call.initial {
		if c.initial == nil {
			c.initial = map[string]objectState{}
		}
		c.initial[call.key] = call.new
		if c.first != nil {
			return nil // objects of a snapshot have no order
		}
	} else {
		c.changes = true
	}
	return c.arrival(call.key, call.new)
}

func (c *historyCheck) updated(call callback, last objectState, known bool) error {
	c.changes = c.changes || !call.same
	switch {
	case !known:
		return fmt.Errorf("the handler has not received the object")
	case call.old != last:
		return fmt.Errorf("the handler has last received %s", last)
	case call.same && !c.resyncs:
		return fmt.Errorf("the handler has no resync period")
	case call.same:
		return nil
	case call.old.uid != call.new.uid:
		return fmt.Errorf("the UIDs differ")
	case call.old == call.new && !c.merging: // merged updates may restore a state
		return fmt.Errorf("old and new state are equal")
	}
	c.known[call.key] = call.new
	return c.arrival(call.key, call.new)
}

func (c *historyCheck) deleted(call callback, last objectState, known bool) error {
	c.changes = true
	switch {
	case !known:
		return fmt.Errorf("the handler has not received the object")
	case call.old.uid != last.uid:
		return fmt.Errorf("the handler has last received another object, %s", last)
	case call.unknown && call.old != last && !c.merging:
		return fmt.Errorf("the final state is unknown, but the handler has last received %s", last)
	}
	delete(c.known, call.key)
	switch {
	case call.old != last && !call.unknown:
		return c.arrival(call.key, call.old)
	case !call.unknown && c.ends && !c.merging && !c.unreadable[call.key]:
		return fmt.Errorf("the source reports a deletion with a state of its own, but this is the last state")
	}
	return nil // the last known state, not one of the source
}

// arrival checks that the source returned the state after the state that was received
// before; with merging, after the previous state of the same key.
func (c *historyCheck) arrival(key string, state objectState) error {
	if c.source == nil {
		return nil
	}
	from := c.position
	if c.merging {
		from = c.perKey[key]
	}
	at := slices.Index(c.source[from:], keyedState{key, state})
	if at < 0 {
		if slices.Contains(c.source, keyedState{key, state}) {
			return fmt.Errorf("out of order: the source has returned it before the state that the handler has received last")
		}
		return fmt.Errorf("the source has not returned this state")
	}
	if c.merging {
		c.perKey[key] = from + at + 1
	} else {
		c.position = from + at + 1
	}
	return nil
}

func (c *historyCheck) finish() error {
	if c.removed && len(c.callbacks) > c.atRemoval {
		return fmt.Errorf("%d callbacks began after Remove had returned, the first of them %s", len(c.callbacks)-c.atRemoval, c.callbacks[c.atRemoval])
	}
	if c.synced && c.first != nil && !c.merging {
		if diff := difference(c.first, c.initial); diff != "" {
			return fmt.Errorf("it is synced, but its initial list differs from the store at its registration: %s", diff)
		}
	}
	if err := c.sameAsReference(); err != nil {
		return err
	}
	if c.end != nil {
		if diff := difference(c.end, c.known); diff != "" {
			return fmt.Errorf("at the end its state differs from the server: %s", diff)
		}
	}
	return nil
}

// sameAsReference checks that handlers that do not merge receive the same changes.
func (c *historyCheck) sameAsReference() error {
	if c.reference == nil || c.merging {
		return nil
	}
	mine, others := changesIn(c.callbacks, c.first != nil), changesIn(c.reference, false)
	for i, call := range mine {
		if i >= len(others) {
			return fmt.Errorf("the reference handler did not receive %s", call)
		}
		if o := others[i]; call.kind != o.kind || call.key != o.key || call.old != o.old || call.new != o.new || call.unknown != o.unknown {
			return fmt.Errorf("it received %s, but the reference handler received %s", call, o)
		}
	}
	if len(mine) < len(others) && c.end != nil {
		return fmt.Errorf("it did not receive %s, but the reference handler did", others[len(mine)])
	}
	return nil
}

// changesIn returns the callbacks without resyncs and without the initial list of a
// late handler.
func changesIn(calls []callback, late bool) (changes []callback) {
	for _, call := range calls {
		if !call.same && !(late && call.initial) {
			changes = append(changes, call)
		}
	}
	return changes
}

// difference describes the difference of two contents, "" if they are equal.
func difference(want, got map[string]objectState) string {
	var lines []string
	for key, w := range want {
		if g, ok := got[key]; !ok {
			lines = append(lines, fmt.Sprintf("%s %s is missing", key, w))
		} else if g != w {
			lines = append(lines, fmt.Sprintf("%s is %s, want %s", key, g, w))
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			lines = append(lines, fmt.Sprintf("%s %s is not expected", key, g))
		}
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprint(lines)
}
