package informer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// object returns shop/NAME at a version.
func object(name, version string) stack.Object {
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version}}
}

func text(object stack.Object) string {
	if object == nil {
		return "nil"
	}
	return object.Name + "@" + object.ResourceVersion
}

// stored is text for an object that an indexer or a handler has, or should have.
func stored(object stack.Object) string {
	if object == nil {
		return "no such object"
	}
	return text(object)
}

// recorder is a handler that records its calls.
type recorder struct {
	// during, if it is not nil, is called by each call, which is given as text.
	during func(call string)

	mu    sync.Mutex
	calls []string
	// objects are those that the calls lead to; wrong says which call is impossible.
	objects map[string]stack.Object
	wrong   string
	// running is the number of the calls that run; overlap records that it was two.
	running int
	overlap bool
}

func newRecorder() *recorder { return &recorder{objects: map[string]stack.Object{}} }

var _ stack.Handler = (*recorder)(nil)

func (r *recorder) OnAdd(object stack.Object, initial bool) {
	call := "add " + text(object)
	if initial {
		call += " (initial)"
	}
	r.record(call, nil, object)
}

func (r *recorder) OnUpdate(old, object stack.Object) {
	r.record(fmt.Sprintf("update %s to %s", text(old), text(object)), old, object)
}

func (r *recorder) OnDelete(object stack.Object, unknown bool) {
	call := "delete " + text(object)
	if unknown {
		call += " (final state unknown)"
	}
	r.record(call, object, nil)
}

func (r *recorder) record(call string, old, object stack.Object) {
	r.begin(call, old, object)
	if r.during != nil {
		r.during(call)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
}

func (r *recorder) begin(call string, old, object stack.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
	r.running++
	r.overlap = r.overlap || r.running > 1
	key, isDelete := "", object == nil
	if isDelete && old != nil {
		key = stack.Key(old)
	} else if !isDelete {
		key = stack.Key(object)
	}
	known := r.objects[key]
	switch {
	case r.wrong != "":
	case isDelete && known == nil:
		r.wrong = call + ", an object that it does not have"
	case !isDelete && old == nil && known != nil:
		r.wrong = fmt.Sprintf("%s, and it already has %s", call, text(known))
	case !isDelete && old != nil && known != old:
		r.wrong = fmt.Sprintf("%s, and it has %s", call, text(known))
	}
	if delete(r.objects, key); !isDelete {
		r.objects[key] = object
	}
}

// received returns the calls: those of the first list, which have no order, are sorted.
func (r *recorder) received() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := slices.Clone(r.calls)
	for begin := 0; begin < len(calls); begin++ {
		end := begin
		for end < len(calls) && strings.HasSuffix(calls[end], "(initial)") {
			end++
		}
		slices.Sort(calls[begin:end])
		begin = end
	}
	if len(calls) == 0 {
		return "nothing"
	}
	return strings.Join(calls, ", ")
}

// pass lets fake time pass, and waits until nothing happens any more.
func pass(duration time.Duration) {
	time.Sleep(duration)
	synctest.Wait()
}

func settle() { pass(time.Second) }
