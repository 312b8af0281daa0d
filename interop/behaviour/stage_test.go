package behaviour

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// A scene is one case: what its play says is compared. Where the two
// implementations differ, rows are the names of the table that say so.
type scene struct {
	name string
	rows string
	play func(s *stage)
}

// A stage is where a scene is played: a bubble with a time of its own, in which
// waiting costs nothing.
type stage struct {
	t *testing.T

	mu     sync.Mutex
	column io.StringWriter // guarded by mu

	logged *atomic.Int64
	begun  time.Time
	stops  []func() // called at the end, last first
}

// say writes a line that the other implementation has to say too.
func (s *stage) say(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.ReplaceAll(fmt.Sprintf(format, arguments...), "\n", "\\n")
	if _, err := s.column.WriteString("\t" + text + "\n"); err != nil {
		panic(err)
	}
}

// outcome says whether there was an error. Its words are each one's own.
func (s *stage) outcome(what string, err error) {
	s.say("%s: %s", what, failed(err))
}

func failed(err error) string {
	if err != nil {
		return "error"
	}
	return "no error"
}

// unless has nothing to say of what is not the scene's matter, unless it fails.
func (s *stage) unless(err error) {
	if err != nil {
		s.say("unexpectedly an error")
	}
}

// attempt says whether a call panics, and nothing if not.
func (s *stage) attempt(what string, call func()) {
	defer func() {
		if recovered := recover(); recovered != nil {
			s.say("%s: panics", what)
		}
	}()
	call()
}

// settle lets everything happen that is going to within a few seconds.
func (s *stage) settle() { s.sleep(5 * time.Second) }

func (s *stage) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// now is how long the scene has been played.
func (s *stage) now() time.Duration { return time.Since(s.begun).Round(time.Millisecond) }

// start runs something until the end of the scene, or until stop is called,
// which returns when it has returned.
func (s *stage) start(run func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	s.stops = append(s.stops, stop)
	return stop
}

// perform plays a scene.
func perform(t *testing.T, of scene, column io.StringWriter, logged *atomic.Int64) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, column: column, logged: logged, begun: time.Now()}
		logged.Store(0)
		s.attempt("the scene", func() { of.play(s) })
		for i := len(s.stops) - 1; i >= 0; i-- {
			s.stops[i]()
		}
		time.Sleep(time.Minute) // for those who look now and then whether to end
	})
}

// hush counts what is logged, by either way, and shows nothing of it.
func hush() *atomic.Int64 {
	var logged atomic.Int64
	klog.SetLoggerWithOptions(logr.New(counting{&logged}), klog.ContextualLogger(true))
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(context.Context, error, string, ...any) { logged.Add(1) },
	}
	return &logged
}

// counting is a logger that counts what everybody is to see.
type counting struct{ lines *atomic.Int64 }

func (counting) Init(logr.RuntimeInfo) {}
func (counting) Enabled(int) bool      { return true }
func (c counting) Info(level int, _ string, _ ...any) {
	if level == 0 {
		c.lines.Add(1)
	}
}
func (c counting) Error(error, string, ...any)    { c.lines.Add(1) }
func (c counting) WithValues(...any) logr.LogSink { return c }
func (c counting) WithName(string) logr.LogSink   { return c }

// show writes an object down.
func show(obj any) string {
	switch obj := obj.(type) {
	case nil:
		return "nil"
	case string:
		return obj
	case int:
		return fmt.Sprint(obj)
	case cache.DeletedFinalStateUnknown:
		return fmt.Sprintf("tombstone(%s, %s)", obj.Key, show(obj.Obj))
	case *cache.DeletedFinalStateUnknown:
		return "pointer to " + show(*obj)
	case *corev1.Pod:
		if obj == nil {
			return "nil *Pod"
		}
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return fmt.Sprintf("%T", obj)
	}
	text := m.GetName() + "@" + m.GetResourceVersion()
	if m.GetNamespace() != "" {
		text = m.GetNamespace() + "/" + text
	}
	if m.GetUID() != "" {
		text += "#" + string(m.GetUID())
	}
	if is := m.GetLabels()["is"]; is != "" {
		text += "(" + is + ")"
	}
	return text
}

// shown writes several down.
func shown[T any](objs []T) []string {
	texts := []string{}
	for _, obj := range objs {
		texts = append(texts, show(obj))
	}
	return texts
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// inOrder is a map by its keys, so that a transcript is the same each time.
func inOrder[V any](of map[string]V) func(func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if !yield(key, of[key]) {
				return
			}
		}
	}
}

// found is what a query has found, in an order of its own.
func found(objs []any, err error) string {
	if err != nil {
		return "error"
	}
	text := ""
	for _, one := range sorted(shown(objs)) {
		text += one + " "
	}
	return text + "."
}

func got(item any, exists bool, err error) string {
	if err != nil {
		return "error"
	}
	if !exists {
		return "not there: " + show(item)
	}
	return show(item)
}

// recorder is a handler that writes down what it is told.
type recorder struct {
	mu    sync.Mutex
	lines []string
	// slow is how long it takes for each.
	slow time.Duration
	// then is called after each line.
	then func(line string)
}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	r.hear(fmt.Sprintf("add %s%s", show(obj), map[bool]string{true: " in the initial list"}[isInInitialList]))
}

func (r *recorder) OnUpdate(old, new any) {
	r.hear(fmt.Sprintf("update %s to %s", show(old), show(new)))
}

func (r *recorder) OnDelete(obj any) { r.hear("delete " + show(obj)) }

func (r *recorder) hear(line string) {
	r.mu.Lock()
	r.lines = append(r.lines, line)
	r.mu.Unlock()
	if r.then != nil {
		r.then(line)
	}
	time.Sleep(r.slow)
}

// heard is what has been told since the last time.
func (r *recorder) heard() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

// tell says what a handler has been told since the last time.
func (s *stage) tell(who string, r *recorder) {
	lines := r.heard()
	if len(lines) == 0 {
		s.say("%s: nothing", who)
	}
	for _, line := range lines {
		s.say("%s: %s", who, line)
	}
}

// tellInAnyOrder is tell for what comes in the order of a map.
func (s *stage) tellInAnyOrder(who string, r *recorder) {
	slices.Sort(r.lines)
	s.tell(who, r)
}

// openColumn is where the lines of a child go.
func openColumn(t *testing.T, name string) *os.File {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
