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

// sight is a state of an object as somebody saw it; the zero value is none.
type sight struct {
	uid     types.UID
	version string
}

func (s sight) String() string {
	if s == (sight{}) {
		return "nothing"
	}
	return fmt.Sprintf("%s of %.8s", s.version, s.uid)
}

func seen(o rest.Object) sight { return sight{o.GetUID(), o.GetResourceVersion()} }

func keyOf(o rest.Object) string { return o.GetNamespace() + "/" + o.GetName() }

// sights of objects by their keys.
func sights(objects map[string]rest.Object) map[string]sight {
	all := make(map[string]sight, len(objects))
	for key, object := range objects {
		all[key] = seen(object)
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

// told is one callback. In a remove, old is what it was handed.
type told struct {
	call     call
	key      string
	old, new sight
	initial  bool
	unknown  bool
	at       time.Duration
}

func (c told) String() string {
	line := fmt.Sprintf("%s(%s -> %s)", c.call, c.old, c.new)
	if c.initial {
		line += " initial"
	}
	if c.unknown {
		line += " unseen"
	}
	if c.at != 0 { // it was told, and not only due
		line += fmt.Sprintf(" after %.3f s", c.at.Seconds())
	}
	return line
}

// history is all that a handler was told.
type history struct {
	began time.Time

	mu    sync.Mutex
	calls []told
	known map[string]rest.Object // after all of calls, each taken as it says
}

func newHistory() *history {
	return &history{began: time.Now(), known: map[string]rest.Object{}}
}

func (h *history) add(o rest.Object, initial bool) {
	h.note(told{call: add, key: keyOf(o), new: seen(o), initial: initial}, o)
}

func (h *history) update(old, o rest.Object) {
	h.note(told{call: update, key: keyOf(o), old: seen(old), new: seen(o)}, o)
}

func (h *history) remove(o rest.Object, unknown bool) {
	h.note(told{call: remove, key: keyOf(o), old: seen(o), unknown: unknown}, nil)
}

func (h *history) note(c told, left rest.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.at = time.Since(h.began)
	h.calls = append(h.calls, c)
	if delete(h.known, c.key); left != nil {
		h.known[c.key] = left
	}
}

// leadsTo is the state to which the history leads.
func (h *history) leadsTo() map[string]rest.Object {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]rest.Object, len(h.known))
	for key, object := range h.known {
		known[key] = object
	}
	return known
}

func (h *history) all() []told {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// of is what was told of one key, a line each.
func (h *history) of(key string) string {
	var lines strings.Builder
	for _, c := range h.all() {
		if c.key == key {
			fmt.Fprintf(&lines, "\t%s\n", c)
		}
	}
	return lines.String()
}

// A fault is what is wrong about a key.
type fault struct{ key, what string }

func (f *fault) Error() string { return f.key + ": " + f.what }

func wrongAbout(key, format string, args ...any) error {
	return &fault{key, fmt.Sprintf(format, args...)}
}

// legal says what is wrong with a history, whatever the connections were like:
// for each key OnAdd, then OnUpdates, then OnDelete; old and new follow each
// other; no version goes back; nothing is told that was not written. It does not
// say that all was told.
func legal(calls []told, written func(key string, s sight) bool) error {
	known := map[string]sight{}
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
			return wrongAbout(c.key, "%s: nobody wrote that", c)
		}
		known[c.key] = c.new
	}
	return nil
}

// follows says whether c may come when the handler has last seen that.
func follows(c told, last sight) error {
	has := last != sight{}
	switch {
	case c.call == add && has:
		return wrongAbout(c.key, "%s: the handler has it as %s", c, last)
	case c.call != add && !has:
		return wrongAbout(c.key, "%s: the handler does not know it", c)
	case c.call == update && c.old != last:
		return wrongAbout(c.key, "%s: the handler saw it last as %s", c, last)
	case c.call == update && c.old.uid != c.new.uid:
		return wrongAbout(c.key, "%s: that is another object of the same name", c)
	case c.call == update && !newer(c.new, c.old):
		return wrongAbout(c.key, "%s: that is no newer state", c)
	case c.call == remove && c.old.uid != last.uid:
		return wrongAbout(c.key, "%s: the handler has it as %s", c, last)
	case c.call == remove && c.unknown && c.old != last:
		return wrongAbout(c.key, "%s: nobody saw it go, and the handler saw it last as %s", c, last)
	case c.call == remove && !c.unknown && !newer(c.old, last):
		return wrongAbout(c.key, "%s: somebody saw it go, and that has no version of its own", c)
	}
	return nil
}

func newer(a, b sight) bool {
	order, err := resourceversion.CompareResourceVersion(a.version, b.version)
	return err == nil && order > 0
}

// inOrder says what is wrong with a history of one who never had to read
// everything again: after the initial list things come in the order of what
// happened, and nothing went unseen.
func inOrder(calls []told) error {
	var last sight
	for _, c := range calls {
		now := c.new
		if c.call == remove {
			now = c.old
		}
		switch {
		case c.initial:
			continue
		case c.unknown:
			return wrongAbout(c.key, "%s: everything was seen", c)
		case last != sight{} && !newer(now, last):
			return wrongAbout(c.key, "%s: out of order, after %s", c, last.version)
		}
		last = now
	}
	return nil
}

// complete says where a history is not what should have been told, of each key:
// the callback, and what the object was after it.
func complete(calls, should []told) error {
	perKey := map[string][]told{}
	for _, c := range calls {
		perKey[c.key] = append(perKey[c.key], c)
	}
	for _, want := range should {
		got := perKey[want.key]
		if len(got) == 0 {
			return wrongAbout(want.key, "%s was not told", want)
		}
		if got[0].call != want.call || got[0].new != want.new {
			return wrongAbout(want.key, "%s was told, and %s should have been", got[0], want)
		}
		perKey[want.key] = got[1:]
	}
	for key, rest := range perKey {
		if len(rest) > 0 {
			return wrongAbout(key, "%s was told, and should not have been", rest[0])
		}
	}
	return nil
}

// difference between what should be and what is, in the first key of all that
// differ; nil if there is none.
func difference(want, got map[string]sight) error {
	var wrong []*fault
	for key, w := range want {
		if g := got[key]; g != w {
			wrong = append(wrong, &fault{key, fmt.Sprintf("it is %s and should be %s", g, w)})
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			wrong = append(wrong, &fault{key, fmt.Sprintf("it is %s and should be gone", g)})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return slices.MinFunc(wrong, func(a, b *fault) int { return strings.Compare(a.key, b.key) })
}
