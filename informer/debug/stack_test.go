package debug

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var pods = rest.ResourceInfo{GroupVersionResource: podResource, Kind: "Pod", Namespaced: true}

// stack is a server and an informer of its pods.
type stack struct {
	srv      *apitest.Server
	informer *informer.SharedInformer[*Pod]
}

func newStack(t *testing.T, trace *informer.Trace) *stack {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return &stack{srv, informer.New(rest.NewView[*Pod](client, pods), informer.Options[*Pod]{Trace: trace})}
}

func (s *stack) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.informer.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-ended) })
	require.NoError(t, s.informer.WaitForSync(ctx))
}

func (s *stack) handle(t *testing.T, name string, maxPending int, f func()) {
	_, err := s.informer.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc:    func(*Pod, bool) { f() },
		UpdateFunc: func(*Pod, *Pod) { f() },
		DeleteFunc: func(*Pod, bool) { f() },
	}, informer.HandlerOptions{Name: name, MaxPending: maxPending})
	require.NoError(t, err)
}

// stagesOf returns the stages of an event: those of the handler, and those without one.
func stagesOf(e Event, handler string) string {
	var steps []string
	for _, s := range e.Steps {
		if s.Handler == "" || s.Handler == handler {
			steps = append(steps, string(s.Stage)+" "+s.Event)
		}
	}
	return strings.Join(steps, ", ")
}

// The trace contains each stage of each event, with the version of the server.
func TestTimelineHasAllStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := NewTimeline(TimelineOptions{})
		s := newStack(t, tl.Trace())
		first := apitest.Create(t, s.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-0"}})
		hold := make(chan struct{})
		s.handle(t, "audit", 0, func() { time.Sleep(time.Millisecond) })
		s.handle(t, "slow", 1, func() { <-hold })
		s.handle(t, "panics", 0, func() { panic("handler panicked") })
		s.run(t)

		second := apitest.Modify(t, s.srv, first, func(p *Pod) { p.Labels = map[string]string{"a": "b"} })
		time.Sleep(time.Second)
		third := apitest.Modify(t, s.srv, second, func(p *Pod) { p.Labels = nil })
		time.Sleep(time.Second)
		apitest.Modify(t, s.srv, third, func(p *Pod) { p.Labels = map[string]string{"c": "d"} })
		time.Sleep(time.Second)
		close(hold)
		time.Sleep(time.Second)
		apitest.Delete(t, s.srv, first)
		time.Sleep(time.Second)

		events := tl.Events("pods", "default/web-0")
		require.Len(t, events, 5)
		require.Equal(t, []string{first.ResourceVersion, second.ResourceVersion, third.ResourceVersion}, []string{events[0].Version, events[1].Version, events[2].Version})
		for i, want := range []string{
			"stored add, called add, returned add",
			"received MODIFIED, stored update, called update, returned update",
			"received MODIFIED, stored update, called update, returned update",
			"received MODIFIED, stored update, called update, returned update",
			"received DELETED, stored delete, called delete, returned delete",
		} {
			require.Equal(t, want, stagesOf(events[i], "audit"), events[i].Version)
			require.Equal(t, want, stagesOf(events[i], "panics"), "a callback that panics has the stage returned")
		}
		require.Equal(t, "stored add, called add, returned add", stagesOf(events[0], "slow"))
		require.Equal(t, "received DELETED, stored delete, called delete, returned delete", stagesOf(events[4], "slow"))
		for i, want := range []string{
			"received MODIFIED, stored update, merged update",
			"received MODIFIED, stored update, merged update",
			"received MODIFIED, stored update, called update, returned update",
		} {
			require.Equal(t, want, stagesOf(events[1+i], "slow"), "only the last of three waiting updates is called")
		}

		audited := events[1].Steps[slices.IndexFunc(events[1].Steps, func(s Step) bool { return s.Stage == Called && s.Handler == "audit" }):]
		returned := audited[slices.IndexFunc(audited, func(s Step) bool { return s.Stage == Returned && s.Handler == "audit" })]
		require.Equal(t, time.Millisecond, returned.At.Sub(audited[0].At))

		w := httptest.NewRecorder()
		h := New(Options{Informers: func() []informer.AnyInformer { return []informer.AnyInformer{s.informer} }, Timeline: tl})
		h.ServeHTTP(w, httptest.NewRequest("GET", "/?informer=pods&key=default/web-0", nil))
		require.Contains(t, w.Body.String(), "The object is not stored.")
		require.Contains(t, w.Body.String(), "returned  delete    slow")
	})
}

// The callbacks of a late handler and of a resync are steps of the event of the object's
// version.
func TestLateHandlerAddsStepsToEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := NewTimeline(TimelineOptions{})
		s := newStack(t, tl.Trace())
		apitest.Create(t, s.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-0"}})
		s.run(t)
		_, err := s.informer.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{Name: "late", ResyncPeriod: time.Minute})
		require.NoError(t, err)
		time.Sleep(90 * time.Second)

		events := tl.Events("pods", "default/web-0")
		require.Len(t, events, 1)
		require.Equal(t, "stored add, called add, returned add, called update, returned update", stagesOf(events[0], "late"))
	})
}

// The page can be requested while the store changes.
func TestPageDuringStoreChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tl := NewTimeline(TimelineOptions{Keys: 3})
		s := newStack(t, tl.Trace())
		s.handle(t, "audit", 0, func() {})
		s.run(t)
		h := New(Options{Informers: func() []informer.AnyInformer { return []informer.AnyInformer{s.informer} }, Objects: true, Timeline: tl})
		var readers sync.WaitGroup
		for _, query := range []string{"", "informer=pods&objects=true", "informer=pods&limit=2&format=json", "informer=pods&key=default/web-1"} {
			readers.Go(func() {
				for range 50 {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil))
					if w.Code != 200 && w.Code != 404 {
						t.Errorf("%s: %d %s", query, w.Code, w.Body)
					}
					time.Sleep(time.Microsecond)
				}
			})
		}
		for range 20 {
			for _, name := range []string{"web-0", "web-1", "web-2", "web-3"} {
				created := apitest.Create(t, s.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
				changed := apitest.Modify(t, s.srv, created, func(p *Pod) { p.Labels = map[string]string{"a": "b"} })
				time.Sleep(time.Microsecond)
				apitest.Delete(t, s.srv, changed)
			}
		}
		readers.Wait()
	})
}

// Any function of a trace may be nil.
func TestTraceWithSomeFunctions(t *testing.T) {
	full := func(stages *[]Stage) *informer.Trace {
		record := func(s Stage) func(informer.TraceInfo) {
			return func(informer.TraceInfo) { *stages = append(*stages, s) }
		}
		return &informer.Trace{Received: record(Received), Stored: record(Stored), Called: record(Called), Returned: record(Returned), Merged: record(Merged)}
	}
	for name, only := range map[string]func(*informer.Trace) *informer.Trace{
		"":         func(*informer.Trace) *informer.Trace { return &informer.Trace{} },
		"received": func(tr *informer.Trace) *informer.Trace { return &informer.Trace{Received: tr.Received} },
		"stored":   func(tr *informer.Trace) *informer.Trace { return &informer.Trace{Stored: tr.Stored} },
		"called":   func(tr *informer.Trace) *informer.Trace { return &informer.Trace{Called: tr.Called} },
		"returned": func(tr *informer.Trace) *informer.Trace { return &informer.Trace{Returned: tr.Returned} },
		"merged":   func(tr *informer.Trace) *informer.Trace { return &informer.Trace{Merged: tr.Merged} },
	} {
		t.Run("only "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stages []Stage
				s := newStack(t, only(full(&stages)))
				hold := make(chan struct{})
				s.handle(t, "slow", 1, func() { <-hold })
				s.run(t)
				obj := apitest.Create(t, s.srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-0"}})
				for _, label := range []string{"a", "b", "c", "d"} {
					time.Sleep(time.Second)
					obj = apitest.Modify(t, s.srv, obj, func(p *Pod) { p.Labels = map[string]string{"label": label} })
				}
				close(hold)
				time.Sleep(time.Second)
				synctest.Wait()
				stages = slices.Compact(stages)
				if name == "" {
					require.Empty(t, stages)
				} else {
					require.Equal(t, []Stage{Stage(name)}, stages)
				}
			})
		})
	}
}
