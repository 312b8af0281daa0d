package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// ware is an object of a market: "name@version", with another UID
// "name@version/uid".
func ware(words string) *metav1.PartialObjectMetadata {
	w := &metav1.PartialObjectMetadata{}
	w.Name, w.ResourceVersion = words[:1], words[2:3]
	w.UID = types.UID(w.Name)
	if len(words) > 3 {
		w.UID = types.UID(words[4:])
	}
	return w
}

// market is a source that a test plays by hand.
type market struct {
	mu      sync.Mutex
	version string
	wares   []string
	events  chan watch.Event
}

func newMarket(version string, wares ...string) *market {
	return &market{version: version, wares: wares, events: make(chan watch.Event)}
}

// stock is what the next list says.
func (m *market) stock(version string, wares ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version, m.wares = version, wares
}

func (m *market) List(metav1.ListOptions) (runtime.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = m.version
	for _, words := range m.wares {
		list.Items = append(list.Items, *ware(words))
	}
	return list, nil
}

func (m *market) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(m.events), nil
}

// tell is an event, and all that it comes to.
func (m *market) tell(kind watch.EventType, object runtime.Object) {
	m.events <- watch.Event{Type: kind, Object: object}
	synctest.Wait()
}

// expire ends the watch, and waits for the list that follows.
func (m *market) expire() {
	m.tell(watch.Error, &metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
	time.Sleep(time.Minute)
}

// ear is a handler that remembers what it hears.
type ear struct {
	mu    sync.Mutex
	heard []string
	// hold, if it is not nil, is waited for in each callback.
	hold chan struct{}
}

func (e *ear) say(line string) {
	if e.hold != nil {
		<-e.hold
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, line)
}

// take is what was heard since.
func (e *ear) take() (heard []string) {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	heard, e.heard = e.heard, nil
	return heard
}

func (e *ear) OnAdd(obj any, isInInitialList bool) {
	line := "add " + show(obj)
	if isInInitialList {
		line += " (initial)"
	}
	e.say(line)
}
func (e *ear) OnUpdate(oldObj, newObj any) { e.say("update " + show(oldObj) + " " + show(newObj)) }
func (e *ear) OnDelete(obj any)            { e.say("delete " + show(obj)) }

func show(obj any) string {
	switch o := obj.(type) {
	case *metav1.PartialObjectMetadata:
		if o == nil {
			return "nil"
		}
		return o.Name + "@" + o.ResourceVersion
	case DeletedFinalStateUnknown:
		return "tombstone " + o.Key + " " + show(o.Obj)
	}
	return fmt.Sprint(obj)
}

// run runs an informer until the test calls stop.
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

// listen adds a handler.
func listen(t *testing.T, i SharedInformer, o HandlerOptions) (*ear, ResourceEventHandlerRegistration) {
	t.Helper()
	e := &ear{}
	handle, err := i.AddEventHandlerWithOptions(e, o)
	require.NoError(t, err)
	return e, handle
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}
