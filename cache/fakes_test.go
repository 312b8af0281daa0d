package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// newObject returns an object for "name@version" or, with a UID,
// "name@version/uid".
func newObject(text string) *metav1.PartialObjectMetadata {
	w := &metav1.PartialObjectMetadata{}
	w.Name, w.ResourceVersion = text[:1], text[2:3]
	w.UID = types.UID(w.Name)
	if len(text) > 3 {
		w.UID = types.UID(text[4:])
	}
	return w
}

// fakeSource is a source whose lists and events are set by the test.
type fakeSource struct {
	mu      sync.Mutex
	version string
	objects []string
	events  chan watch.Event
}

func newFakeSource(version string, objects ...string) *fakeSource {
	return &fakeSource{version: version, objects: objects, events: make(chan watch.Event)}
}

// setList sets the result of the next list.
func (s *fakeSource) setList(version string, objects ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.objects = version, objects
}

func (s *fakeSource) List(metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = s.version
	for _, text := range s.objects {
		list.Items = append(list.Items, *newObject(text))
	}
	return list, nil
}

func (s *fakeSource) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(s.events), nil
}

// send sends an event and waits until it is processed.
func (s *fakeSource) send(eventType watch.EventType, object runtime.Object) {
	s.events <- watch.Event{Type: eventType, Object: object}
	synctest.Wait()
}

// expire ends the watch and waits for the next list.
func (s *fakeSource) expire() {
	s.send(watch.Error, &metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
	time.Sleep(time.Minute)
}

// recorder is a handler that records its callbacks.
type recorder struct {
	mu       sync.Mutex
	received []string
	// hold, if not nil, is received from in each callback.
	hold chan struct{}
}

func (r *recorder) record(line string) {
	if r.hold != nil {
		<-r.hold
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, line)
}

// take waits until the informer is idle, and returns and removes the recorded
// callbacks.
func (r *recorder) take() (received []string) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	received, r.received = r.received, nil
	return received
}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	line := "add " + describe(obj)
	if isInInitialList {
		line += " (initial)"
	}
	r.record(line)
}

func (r *recorder) OnUpdate(oldObj, newObj any) {
	r.record("update " + describe(oldObj) + " " + describe(newObj))
}

func (r *recorder) OnDelete(obj any) { r.record("delete " + describe(obj)) }

func describe(obj any) string {
	switch o := obj.(type) {
	case *metav1.PartialObjectMetadata:
		if o == nil {
			return "nil"
		}
		return o.Name + "@" + o.ResourceVersion
	case DeletedFinalStateUnknown:
		return "tombstone " + o.Key + " " + describe(o.Obj)
	}
	return fmt.Sprint(obj)
}

// run runs an informer until stop is called.
func run(t *testing.T, i interface{ RunWithContext(context.Context) }) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.RunWithContext(ctx)
	}()
	synctest.Wait()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

// addRecorder adds a recorder to an informer.
func addRecorder(t *testing.T, i SharedInformer, o HandlerOptions) (*recorder, ResourceEventHandlerRegistration) {
	t.Helper()
	handler := &recorder{}
	registration, err := i.AddEventHandlerWithOptions(handler, o)
	require.NoError(t, err)
	return handler, registration
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// logRecorder records log lines.
type logRecorder struct {
	mu    sync.Mutex
	lines []string
}

func (l *logRecorder) logger() klog.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, args)
	}, funcr.Options{})
}

func (l *logRecorder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(strings.Join(l.lines, "\n"))
}
