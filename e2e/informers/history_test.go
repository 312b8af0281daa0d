package informers

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/rest"
)

// objectState identifies a state of an object. The zero value means that there is no object.
type objectState struct {
	uid     types.UID
	version string
}

func (s objectState) String() string {
	if s == (objectState{}) {
		return "nothing"
	}
	return fmt.Sprintf("%s of %.8s", s.version, s.uid)
}

func stateOf(o rest.Object) objectState { return objectState{o.GetUID(), o.GetResourceVersion()} }

func keyOf(o rest.Object) string { return o.GetNamespace() + "/" + o.GetName() }

// statesOf returns the states of objects by their keys.
func statesOf(objects map[string]rest.Object) map[string]objectState {
	all := make(map[string]objectState, len(objects))
	for key, object := range objects {
		all[key] = stateOf(object)
	}
	return all
}

// call names a callback.
type call string

const (
	add    call = "OnAdd"
	update call = "OnUpdate"
	remove call = "OnDelete"
)

// notification is one callback. In a remove, old is its object.
type notification struct {
	call     call
	key      string
	old, new objectState
	initial  bool
	unknown  bool
	at       time.Duration
}

func (c notification) String() string {
	line := fmt.Sprintf("%s(%s -> %s)", c.call, c.old, c.new)
	if c.initial {
		line += " initial"
	}
	if c.unknown {
		line += " final state unknown"
	}
	if c.at != 0 { // it was received, and not only expected
		line += fmt.Sprintf(" after %.3f s", c.at.Seconds())
	}
	return line
}

// history has all notifications of a handler.
type history struct {
	began time.Time

	mu    sync.Mutex
	calls []notification
	known map[string]rest.Object // the objects after all of calls
}

func newHistory() *history {
	return &history{began: time.Now(), known: map[string]rest.Object{}}
}

func (h *history) add(o rest.Object, initial bool) {
	h.note(notification{call: add, key: keyOf(o), new: stateOf(o), initial: initial}, o)
}

func (h *history) update(old, o rest.Object) {
	h.note(notification{call: update, key: keyOf(o), old: stateOf(old), new: stateOf(o)}, o)
}

func (h *history) remove(o rest.Object, unknown bool) {
	h.note(notification{call: remove, key: keyOf(o), old: stateOf(o), unknown: unknown}, nil)
}

func (h *history) note(c notification, left rest.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.at = time.Since(h.began)
	h.calls = append(h.calls, c)
	if delete(h.known, c.key); left != nil {
		h.known[c.key] = left
	}
}

// leadsTo returns the objects that result from the history.
func (h *history) leadsTo() map[string]rest.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]rest.Object, len(h.known))
	for key, object := range h.known {
		known[key] = object
	}
	return known
}

func (h *history) all() []notification {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// of returns the notifications for one key, a line each.
func (h *history) of(key string) string {
	var lines strings.Builder
	for _, c := range h.all() {
		if c.key == key {
			fmt.Fprintf(&lines, "\t%s\n", c)
		}
	}
	return lines.String()
}

// A fault is an error about a key.
type fault struct{ key, what string }

func (f *fault) Error() string { return f.key + ": " + f.what }

func wrongAbout(key, format string, args ...any) error {
	return &fault{key, fmt.Sprintf(format, args...)}
}

// legal checks the rules that hold however connections break: for each key OnAdd, then
// OnUpdates, then OnDelete; old is the previous new; versions increase; each state was
// written. It does not check that the history is complete.
func legal(calls []notification, written func(key string, s objectState) bool) error {
	known := map[string]objectState{}
	for _, c := range calls {
		last := known[c.key]
		if err := follows(c, last); err != nil {
			return err
		}
		if c.call == remove {
			delete(known, c.key)
			continue
		}
		if !written(c.key, c.new) {
			return wrongAbout(c.key, "%s: this state was never written", c)
		}
		known[c.key] = c.new
	}
	return nil
}

// follows checks a notification against the last state that the handler has received.
func follows(c notification, last objectState) error {
	has := last != objectState{}
	switch {
	case c.call == add && has:
		return wrongAbout(c.key, "%s: the handler has it as %s", c, last)
	case c.call != add && !has:
		return wrongAbout(c.key, "%s: the handler does not know it", c)
	case c.call == update && c.old != last:
		return wrongAbout(c.key, "%s: the handler received %s last", c, last)
	case c.call == update && c.old.uid != c.new.uid:
		return wrongAbout(c.key, "%s: another object of the same name", c)
	case c.call == update && !newer(c.new, c.old):
		return wrongAbout(c.key, "%s: not a newer state", c)
	case c.call == remove && c.old.uid != last.uid:
		return wrongAbout(c.key, "%s: the handler has it as %s", c, last)
	case c.call == remove && c.unknown && c.old != last:
		return wrongAbout(c.key, "%s: the final state is unknown, and the handler received %s last", c, last)
	case c.call == remove && !c.unknown && !newer(c.old, last):
		return wrongAbout(c.key, "%s: the final state is known, and has no version of its own", c)
	}
	return nil
}

func newer(a, b objectState) bool {
	order, err := resourceversion.CompareResourceVersion(a.version, b.version)
	return err == nil && order > 0
}

// inOrder checks the history of an informer that has not listed again: after the initial
// list the versions increase across keys, and all final states are known.
func inOrder(calls []notification) error {
	var last objectState
	for _, c := range calls {
		now := c.new
		if c.call == remove {
			now = c.old
		}
		switch {
		case c.initial:
			continue
		case c.unknown:
			return wrongAbout(c.key, "%s: no event was missed", c)
		case last != objectState{} && !newer(now, last):
			return wrongAbout(c.key, "%s: out of order, after %s", c, last.version)
		}
		last = now
	}
	return nil
}

// complete checks for each key that the notifications are the expected ones, by the callback
// and the state after it.
func complete(calls, should []notification) error {
	perKey := map[string][]notification{}
	for _, c := range calls {
		perKey[c.key] = append(perKey[c.key], c)
	}
	for _, want := range should {
		got := perKey[want.key]
		if len(got) == 0 {
			return wrongAbout(want.key, "%s was not received", want)
		}
		if got[0].call != want.call || got[0].new != want.new {
			return wrongAbout(want.key, "got %s, want %s", got[0], want)
		}
		perKey[want.key] = got[1:]
	}
	for key, rest := range perKey {
		if len(rest) > 0 {
			return wrongAbout(key, "%s was not expected", rest[0])
		}
	}
	return nil
}

// difference returns an error for the first key whose states differ, or nil.
func difference(want, got map[string]objectState) error {
	var wrong []*fault
	for key, w := range want {
		if g := got[key]; g != w {
			wrong = append(wrong, &fault{key, fmt.Sprintf("got %s, want %s", g, w)})
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			wrong = append(wrong, &fault{key, fmt.Sprintf("got %s, want no object", g)})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return slices.MinFunc(wrong, func(a, b *fault) int { return strings.Compare(a.key, b.key) })
}
