package informer

import (
	"fmt"
	"slices"
	"time"
)

// sight is a state of an object as somebody saw it. The content tells states
// apart where a server has given a version out twice.
type sight struct{ uid, version, content string }

func (s sight) String() string {
	if s.content == "" {
		return s.version + "/" + s.uid
	}
	return s.version + "/" + s.uid + ", content " + s.content
}

// told is one callback of a handler.
type told struct {
	at   time.Duration
	kind notificationKind // added, updated or deleted
	key  string
	// old is what was before, in updated and deleted; new is what came, in added
	// and updated. In deleted, old is what the callback was handed.
	old, new sight
	// same: old and new of an update were one object, as they are in a resync.
	same bool
	// initial and unknown are the flags of OnAdd and OnDelete.
	initial, unknown bool
	// synced: the registration was, when the callback began.
	synced bool
	// begin and end are ticks of one counter per handler, so that callbacks that
	// overlap are seen.
	begin, end int
}

func (c told) String() string {
	switch c.kind {
	case added:
		if c.initial {
			return fmt.Sprintf("OnAdd(%s %s, initial)", c.key, c.new)
		}
		return fmt.Sprintf("OnAdd(%s %s)", c.key, c.new)
	case updated:
		if c.same {
			return fmt.Sprintf("OnUpdate(%s %s, again)", c.key, c.new)
		}
		return fmt.Sprintf("OnUpdate(%s %s -> %s)", c.key, c.old, c.new)
	case deleted:
		if c.unknown {
			return fmt.Sprintf("OnDelete(%s %s, unseen)", c.key, c.old)
		}
		return fmt.Sprintf("OnDelete(%s %s)", c.key, c.old)
	}
	return fmt.Sprintf("kind %d", c.kind)
}

// sighting is one object that the source has handed out.
type sighting struct {
	key string
	sight
}

// story is all that one handler was told, and what else has to be known to say
// whether it may have been told that.
type story struct {
	name string
	told []told
	// merging: notifications may have been merged, so that some states were
	// never told, and order holds per key only.
	merging bool
	// resyncs: the handler asked for them.
	resyncs bool
	// flags: synced was taken down with each callback.
	flags bool
	// source is all that the source has handed out, in order, from after the
	// handler was added; nil: nobody took it down.
	source []sighting
	// ends: the source tells the end of an object by a state of its own, but for
	// those keys of which it has told something that is unreadable.
	ends       bool
	unreadable map[string]bool
	// first is what the store had when the handler was added, which is what it
	// has to be told first; nil: it was added before the informer had anything.
	first map[string]sight
	// reference is what a handler that never merges was told from then on; nil:
	// there is none.
	reference []told
	// removed: Remove has returned when so many callbacks had begun.
	removed   bool
	atRemoval int
	// synced: the registration was, at the end.
	synced bool
	// end is what the server has at the end; nil: the handler was gone by then.
	end map[string]sight
}

// check says what is wrong with a story, nil if it is a legal one: for each key
// OnAdd, then OnUpdates, then OnDelete; old and new follow each other; the order
// is that of arrival; the initial list comes first, whole, and before synced;
// after the end the handler knows what the server has.
func (s *story) check() error {
	c := checking{story: s, known: map[string]sight{}, perKey: map[string]int{}}
	for i, call := range s.told {
		if err := c.callback(call); err != nil {
			return fmt.Errorf("handler %s, callback %d at %s, %s: %w", s.name, i, call.at, call, err)
		}
	}
	if err := c.finish(); err != nil {
		return fmt.Errorf("handler %s: %w", s.name, err)
	}
	return nil
}

// checking is how far a check has come.
type checking struct {
	*story
	known map[string]sight
	// changes is whether anything but the initial list has been told.
	changes bool
	ended   int
	// position is how much of the source is behind us; perKey the same of one
	// key, for stories with merging.
	position int
	perKey   map[string]int
	initial  map[string]sight
}

func (c *checking) callback(call told) error {
	if call.begin < c.ended {
		return fmt.Errorf("it began before the one before it had ended")
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
	return fmt.Errorf("no such callback")
}

func (c *checking) added(call told, last sight, known bool) error {
	switch {
	case known:
		return fmt.Errorf("the handler has it already, as %s", last)
	case call.initial && call.synced:
		return fmt.Errorf("it belongs to the initial list, and the registration was synced")
	case call.initial && c.changes && !c.merging:
		return fmt.Errorf("it belongs to the initial list, and comes after changes")
	case !call.initial && c.flags && !call.synced && !c.merging:
		return fmt.Errorf("it came before the registration was synced, and is not said to belong to the initial list")
	}
	c.known[call.key] = call.new
	if call.initial {
		if c.initial == nil {
			c.initial = map[string]sight{}
		}
		c.initial[call.key] = call.new
		if c.first != nil {
			return nil // told from the store, in no order
		}
	} else {
		c.changes = true
	}
	return c.arrival(call.key, call.new)
}

func (c *checking) updated(call told, last sight, known bool) error {
	c.changes = c.changes || !call.same
	switch {
	case !known:
		return fmt.Errorf("the handler does not know it")
	case call.old != last:
		return fmt.Errorf("the handler saw it last as %s", last)
	case call.same && !c.resyncs:
		return fmt.Errorf("nobody asked for resyncs")
	case call.same:
		return nil
	case call.old.uid != call.new.uid:
		return fmt.Errorf("that is another object of the same name")
	case call.old == call.new && !c.merging: // merged, it may have gone there and back
		return fmt.Errorf("nothing has changed")
	}
	c.known[call.key] = call.new
	return c.arrival(call.key, call.new)
}

func (c *checking) deleted(call told, last sight, known bool) error {
	c.changes = true
	switch {
	case !known:
		return fmt.Errorf("the handler does not know it")
	case call.old.uid != last.uid:
		return fmt.Errorf("the handler knows another object, %s", last)
	case call.unknown && call.old != last && !c.merging:
		return fmt.Errorf("nobody saw it go, and the handler saw it last as %s", last)
	}
	delete(c.known, call.key)
	switch {
	case call.old != last && !call.unknown:
		return c.arrival(call.key, call.old)
	case !call.unknown && c.ends && !c.merging && !c.unreadable[call.key]:
		return fmt.Errorf("the source tells an end by another state than the last")
	}
	return nil // what is known was handed on: the source told no more
}

// arrival: what is told was handed out by the source, after what was told
// before; with merging, after what was told before of that key.
func (c *checking) arrival(key string, state sight) error {
	if c.source == nil {
		return nil
	}
	from := c.position
	if c.merging {
		from = c.perKey[key]
	}
	at := slices.Index(c.source[from:], sighting{key, state})
	if at < 0 {
		if slices.Contains(c.source, sighting{key, state}) {
			return fmt.Errorf("out of order: the source told it before what the handler was told last")
		}
		return fmt.Errorf("the source has told no such state")
	}
	if c.merging {
		c.perKey[key] = from + at + 1
	} else {
		c.position = from + at + 1
	}
	return nil
}

func (c *checking) finish() error {
	if c.removed && len(c.told) > c.atRemoval {
		return fmt.Errorf("%d callbacks began after Remove had returned, the first of them %s", len(c.told)-c.atRemoval, c.told[c.atRemoval])
	}
	if c.synced && c.first != nil && !c.merging {
		if diff := difference(c.first, c.initial); diff != "" {
			return fmt.Errorf("it was synced, and its initial list is not what was stored when it was added: %s", diff)
		}
	}
	if err := c.sameStory(); err != nil {
		return err
	}
	if c.end != nil {
		if diff := difference(c.end, c.known); diff != "" {
			return fmt.Errorf("at the end it does not know what the server has: %s", diff)
		}
	}
	return nil
}

// sameStory: handlers that do not merge are all told the same changes.
func (c *checking) sameStory() error {
	if c.reference == nil || c.merging {
		return nil
	}
	mine, others := changesIn(c.told, c.first != nil), changesIn(c.reference, false)
	for i, call := range mine {
		if i >= len(others) {
			return fmt.Errorf("no other handler was told %s", call)
		}
		if o := others[i]; call.kind != o.kind || call.key != o.key || call.old != o.old || call.new != o.new || call.unknown != o.unknown {
			return fmt.Errorf("it was told %s when another one was told %s", call, o)
		}
	}
	if len(mine) < len(others) && c.end != nil {
		return fmt.Errorf("it was not told %s, as another one was", others[len(mine)])
	}
	return nil
}

// changesIn leaves resyncs out, and the initial list of a handler that was added
// late.
func changesIn(calls []told, late bool) (changes []told) {
	for _, call := range calls {
		if !call.same && !(late && call.initial) {
			changes = append(changes, call)
		}
	}
	return changes
}

// difference between two states of everything, "" for none.
func difference(want, got map[string]sight) string {
	var lines []string
	for key, w := range want {
		if g, ok := got[key]; !ok {
			lines = append(lines, fmt.Sprintf("%s %s is missing", key, w))
		} else if g != w {
			lines = append(lines, fmt.Sprintf("%s is %s and should be %s", key, g, w))
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			lines = append(lines, fmt.Sprintf("%s %s should be gone", key, g))
		}
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprint(lines)
}
