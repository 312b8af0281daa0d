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

// A testCase is one comparison of the two libraries. If their outputs differ, rows are the
// names of the table rows that document the difference.
type testCase struct {
	name string
	rows string
	run  func(s *scenario)
}

// A scenario runs a case in a synctest bubble, in which waiting takes no real time.
type scenario struct {
	t *testing.T

	mu  sync.Mutex
	out io.StringWriter // guarded by mu

	logged *atomic.Int64
	begun  time.Time
	stops  []func() // called at the end, last one first
}

// printf writes a line of output.
func (s *scenario) printf(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.ReplaceAll(fmt.Sprintf(format, arguments...), "\n", "\\n")
	if _, err := s.out.WriteString("\t" + text + "\n"); err != nil {
		panic(err)
	}
}

// outcome reports whether there was an error. The text of errors is not compared.
func (s *scenario) outcome(what string, err error) {
	s.printf("%s: %s", what, failed(err))
}

func failed(err error) string {
	if err != nil {
		return "error"
	}
	return "no error"
}

// check writes a line if the error is not nil.
func (s *scenario) check(err error) {
	if err != nil {
		s.printf("unexpectedly an error")
	}
}

// attempt reports whether a call panics; it writes nothing if it does not.
func (s *scenario) attempt(what string, call func()) {
	defer func() {
		if recovered := recover(); recovered != nil {
			s.printf("%s: panics", what)
		}
	}()
	call()
}

// settle waits a few seconds, until nothing more happens.
func (s *scenario) settle() { s.sleep(5 * time.Second) }

func (s *scenario) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// now returns the time since the start of the case.
func (s *scenario) now() time.Duration { return time.Since(s.begun).Round(time.Millisecond) }

// start runs a function until the end of the case, or until stop is called, which waits
// for it to return.
func (s *scenario) start(run func(ctx context.Context)) (stop func()) {
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

// runCase runs a case.
func runCase(t *testing.T, of testCase, out io.StringWriter, logged *atomic.Int64) {
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{t: t, out: out, logged: logged, begun: time.Now()}
		logged.Store(0)
		s.attempt("the case", func() { of.run(s) })
		for i := len(s.stops) - 1; i >= 0; i-- {
			s.stops[i]()
		}
		time.Sleep(time.Minute) // for goroutines that poll for the end
	})
}

// countLogLines counts the log lines of both kinds of loggers and hides them.
func countLogLines() *atomic.Int64 {
	var logged atomic.Int64
	klog.SetLoggerWithOptions(logr.New(counting{&logged}), klog.ContextualLogger(true))
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(context.Context, error, string, ...any) { logged.Add(1) },
	}
	return &logged
}

// counting is a logger that counts the lines that would be shown.
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

// show formats an object.
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

// shown formats several objects.
func shown[T any](objs []T) []string {
	texts := []string{}
	for _, obj := range objs {
		texts = append(texts, show(obj))
	}
	return texts
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// inOrder iterates over a map in the order of its keys, so that output is deterministic.
func inOrder[V any](of map[string]V) func(func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if !yield(key, of[key]) {
				return
			}
		}
	}
}

// found sorts and formats the result of a query.
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

// recorder is a handler that records its notifications.
type recorder struct {
	mu    sync.Mutex
	lines []string
	// slow is the time that each notification takes.
	slow time.Duration
	// then is called after each notification.
	then func(line string)
}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	r.record(fmt.Sprintf("add %s%s", show(obj), map[bool]string{true: " in the initial list"}[isInInitialList]))
}

func (r *recorder) OnUpdate(old, new any) {
	r.record(fmt.Sprintf("update %s to %s", show(old), show(new)))
}

func (r *recorder) OnDelete(obj any) { r.record("delete " + show(obj)) }

func (r *recorder) record(line string) {
	r.mu.Lock()
	r.lines = append(r.lines, line)
	r.mu.Unlock()
	if r.then != nil {
		r.then(line)
	}
	time.Sleep(r.slow)
}

// take returns the notifications since the previous call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

// printEvents writes the notifications since the previous call.
func (s *scenario) printEvents(name string, r *recorder) {
	lines := r.take()
	if len(lines) == 0 {
		s.printf("%s: nothing", name)
	}
	for _, line := range lines {
		s.printf("%s: %s", name, line)
	}
}

// printSortedEvents is printEvents for notifications in the order of a map.
func (s *scenario) printSortedEvents(name string, r *recorder) {
	slices.Sort(r.lines)
	s.printEvents(name, r)
}

// openOutput opens the output file of a child process.
func openOutput(t *testing.T, name string) *os.File {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
