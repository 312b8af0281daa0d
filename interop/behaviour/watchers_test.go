package behaviour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	framework "k8s.io/client-go/tools/cache/testing"
	watchtools "k8s.io/client-go/tools/watch"
)

// A plannedWatch is the response to a request of a RetryWatcher.
type plannedWatch struct {
	err    error
	events []watch.Event
	stays  bool // the watch does not end after the events
}

// planned is a source with one response after the other; the last one is repeated.
type planned struct {
	s         *scenario
	responses []plannedWatch
	requests  int
}

func (p *planned) WatchWithContext(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
	now := p.responses[min(p.requests, len(p.responses)-1)]
	if p.requests++; p.requests <= 5 {
		p.s.printf("%v: watch of version %s, bookmarks: %v", p.s.now(), o.ResourceVersion, o.AllowWatchBookmarks)
	}
	if now.err != nil {
		return nil, now.err
	}
	stream := watch.NewFakeWithChanSize(len(now.events), false)
	for _, event := range now.events {
		stream.Action(event.Type, event.Object)
	}
	if !now.stays {
		stream.Stop()
	}
	return stream, nil
}

func (p *planned) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return p.WatchWithContext(context.Background(), o)
}

// follow prints the events of a RetryWatcher that begins at version 1, for a minute.
func (s *scenario) follow(responses ...plannedWatch) {
	s.begun = time.Now()
	source := &planned{s: s, responses: responses}
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	w, err := watchtools.NewRetryWatcherWithContext(ctx, "1", source)
	if err != nil {
		s.printf("error")
		return
	}
	for minute := time.After(time.Minute); ; {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				<-w.Done()
				s.printf("%v: it has ended", s.now())
				return
			}
			s.printf("%v: %s %s", s.now(), event.Type, eventObject(event))
		case <-minute:
			s.printf("it is open after a minute")
			w.Stop()
			<-w.Done()
			return
		}
	}
}

func eventObject(event watch.Event) string {
	if status, ok := event.Object.(*metav1.Status); ok {
		return strconv.Itoa(int(status.Code))
	}
	return show(event.Object)
}

func addedAt(version string) watch.Event {
	return watch.Event{Type: watch.Added, Object: pod("a", version)}
}

// untilNamed is a condition: an event of the type, with an object of the name.
func untilNamed(kind watch.EventType, name string) watchtools.ConditionFunc {
	return func(event watch.Event) (bool, error) {
		m, err := meta.Accessor(event.Object)
		return err == nil && event.Type == kind && m.GetName() == name, nil
	}
}

func shownEvent(event *watch.Event, err error) string {
	if event == nil {
		return "nil, " + failed(err)
	}
	return fmt.Sprintf("%s %s, %s", event.Type, eventObject(*event), failed(err))
}

func retryWatchers() []testCase {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no permission"))
	busy := apierrors.NewTooManyRequests("busy", 7)
	errorEvent := func(status metav1.Status) watch.Event { return watch.Event{Type: watch.Error, Object: &status} }
	return []testCase{
		{name: "retry watcher/it resumes", run: func(s *scenario) {
			for _, broken := range []plannedWatch{
				{}, {err: io.EOF}, {err: errors.New("refused")},
				{events: []watch.Event{errorEvent(*status(500, metav1.StatusReasonInternalError))}},
				{events: []watch.Event{{Type: watch.Error, Object: pod("x", "5")}}},
				{events: []watch.Event{errorEvent(busy.ErrStatus)}},
			} {
				s.follow(
					plannedWatch{events: []watch.Event{addedAt("2"), {Type: watch.Modified, Object: pod("a", "3")}}},
					broken,
					plannedWatch{events: []watch.Event{{Type: watch.Deleted, Object: pod("a", "4")}, {Type: watch.Bookmark, Object: bookmark("9", false)}}},
					plannedWatch{events: []watch.Event{addedAt("10")}, stays: true},
				)
			}
		}},
		{name: "retry watcher/it ends", run: func(s *scenario) {
			for _, last := range []plannedWatch{
				{err: forbidden},
				{err: apierrors.NewUnauthorized("expired token")},
				{events: []watch.Event{errorEvent(expired().ErrStatus)}},
				{events: []watch.Event{addedAt("")}},
				{events: []watch.Event{{Type: watch.Added, Object: &metav1.Status{}}}},
				{events: []watch.Event{{Type: "MOVED", Object: pod("a", "2")}}},
			} {
				s.follow(last)
			}
			for _, version := range []string{"", "0"} {
				_, err := watchtools.NewRetryWatcher(version, &planned{s: s})
				s.outcome("version "+version, err)
			}
		}},
		{name: "retry watcher/a version that has expired at the start", rows: "retry-watcher-expired", run: func(s *scenario) {
			s.follow(plannedWatch{err: expired()})
		}},
		{name: "retry watcher/a Retry-After at the start", rows: "retry-watcher-after", run: func(s *scenario) {
			s.follow(plannedWatch{err: busy}, plannedWatch{stays: true})
		}},
		{name: "retry watcher/an error with context", rows: "retry-watcher-wrapped", run: func(s *scenario) {
			s.follow(plannedWatch{err: fmt.Errorf("watching pods: %w", forbidden)})
		}},
		{name: "retry watcher/the text of an error", rows: "retry-watcher-text", run: func(s *scenario) {
			secret := &corev1.Secret{Data: map[string][]byte{"password": []byte("secret")}}
			source := &planned{s: s, responses: []plannedWatch{{events: []watch.Event{{Type: watch.Added, Object: secret}}}}}
			_, err := watchtools.Until(s.t.Context(), "1", source, func(event watch.Event) (bool, error) {
				s.printf("the object: %v", strings.Contains(event.Object.(*metav1.Status).Message, "password"))
				return true, nil
			})
			s.check(err)
		}},
	}
}

func waitsForEvents() []testCase {
	return []testCase{
		{name: "until/without retry", run: func(s *scenario) {
			for _, conditions := range [][]watchtools.ConditionFunc{
				nil,
				{untilNamed(watch.Added, "a")},
				{untilNamed(watch.Added, "a"), untilNamed(watch.Added, "a"), untilNamed(watch.Modified, "a")},
				{untilNamed(watch.Modified, "a"), untilNamed(watch.Added, "a")},
				{func(watch.Event) (bool, error) { return true, errors.New("refused") }},
			} {
				stream := watch.NewFakeWithChanSize(2, false)
				stream.Add(pod("a", "1"))
				stream.Modify(pod("a", "2"))
				if len(conditions) == 2 {
					stream.Stop()
				}
				event, err := watchtools.UntilWithoutRetry(s.t.Context(), stream, conditions...)
				s.printf("%s, closed: %v, stopped: %v", shownEvent(event, err), errors.Is(err, watchtools.ErrWatchClosed), stream.IsStopped())
			}
		}},
		{name: "until/a watch that breaks and expires", run: func(s *scenario) {
			source := &planned{s: s, responses: []plannedWatch{{events: []watch.Event{addedAt("2")}}, {err: io.EOF}, {events: []watch.Event{{Type: watch.Modified, Object: pod("a", "3")}}, stays: true}}}
			event, err := watchtools.Until(s.t.Context(), "1", source, untilNamed(watch.Added, "a"), untilNamed(watch.Modified, "a"))
			s.printf("%s", shownEvent(event, err))
			gone := expired().ErrStatus
			source = &planned{s: s, responses: []plannedWatch{{events: []watch.Event{{Type: watch.Error, Object: &gone}}}}}
			event, err = watchtools.Until(s.t.Context(), "1", source, untilNamed(watch.Added, "a"))
			s.printf("%s, closed: %v", shownEvent(event, err), errors.Is(err, watchtools.ErrWatchClosed))
		}},
		{name: "until/the end of the context", rows: "until-cause", run: func(s *scenario) {
			ctx, cancel := watchtools.ContextWithOptionalTimeout(s.t.Context(), time.Second)
			defer cancel()
			event, err := watchtools.UntilWithoutRetry(ctx, watch.NewFake(), untilNamed(watch.Added, "a"))
			s.printf("%s, interrupted: %v", shownEvent(event, err), wait.Interrupted(err))
			s.printf("deadline: %v", errors.Is(err, context.DeadlineExceeded))
		}},
		{name: "until/optional timeouts", run: func(s *scenario) {
			for _, timeout := range []time.Duration{-time.Second, 0, time.Second} {
				ctx, cancel := watchtools.ContextWithOptionalTimeout(s.t.Context(), timeout)
				_, bounded := ctx.Deadline()
				s.printf("%v: %v", timeout, bounded)
				cancel()
			}
		}},
		{name: "until/with sync", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			event, err := watchtools.UntilWithSync(s.t.Context(), w.source(), &corev1.Pod{}, nil, untilNamed(watch.Added, "b"))
			s.printf("%s", shownEvent(event, err))
			for _, precondition := range []struct {
				fulfilled bool
				err       error
			}{{true, nil}, {false, errors.New("refused")}} {
				event, err = watchtools.UntilWithSync(s.t.Context(), w.source(), &corev1.Pod{}, func(store cache.Store) (bool, error) {
					s.printf("precondition: %s", found(store.List(), nil))
					return precondition.fulfilled, precondition.err
				}, untilNamed(watch.Added, "none"))
				s.printf("%s", shownEvent(event, err))
			}
			time.AfterFunc(10*time.Second, func() { w.put("c", "new") })
			time.AfterFunc(20*time.Second, func() { w.relistAfter(func() { w.remove("a") }) })
			event, err = watchtools.UntilWithSync(s.t.Context(), w.source(), &corev1.Pod{}, func(cache.Store) (bool, error) { return false, nil },
				untilNamed(watch.Added, "c"), untilNamed(watch.Deleted, "a"))
			s.printf("%s", shownEvent(event, err))
		}},
		{name: "until/with sync that fails", rows: "until-reason", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onList = func(int, listOptions) (runtime.Object, error, bool) {
				return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no permission")), true
			}
			ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
			defer cancel()
			event, err := watchtools.UntilWithSync(ctx, w.source(), &corev1.Pod{}, func(cache.Store) (bool, error) { return true, nil })
			s.printf("%s, deadline: %v", shownEvent(event, err), errors.Is(err, context.DeadlineExceeded))
			s.printf("forbidden: %v", apierrors.IsForbidden(err))
		}},
	}
}

func informerWatchers() []testCase {
	return []testCase{
		{name: "informer watcher/events", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			store, controller, stream, done := watchtools.NewIndexerInformerWatcher(w.source(), &corev1.Pod{})
			s.printf("%v", sorted(changes(stream, 2)))
			s.settle() // until the watch is open: the fake server sends nothing to a later one
			s.printf("%v %s %q", controller.HasSynced(), found(store.List(), nil), controller.LastSyncResourceVersion())
			w.put("a", "changed")
			w.put("c", "new")
			w.remove("b")
			s.printf("%v", changes(stream, 3))
			w.relistAfter(func() { w.remove("a") })
			s.printf("%v", changes(stream, 1))
			stream.Stop()
			stream.Stop()
			<-done
		}},
		{name: "informer watcher/without a reader", run: func(s *scenario) {
			_, controller, stream, done := watchtools.NewIndexerInformerWatcher(newFakeServer("a", "b").source(), &corev1.Pod{})
			s.settle()
			s.printf("synced: %v", controller.HasSynced())
			stream.Stop()
			<-done
		}},
		{name: "informer watcher/the channel after the end", rows: "watcher-closes", run: func(s *scenario) {
			_, _, stream, done := watchtools.NewIndexerInformerWatcher(newFakeServer().source(), &corev1.Pod{})
			stream.Stop()
			<-done
			select {
			case <-stream.ResultChan():
				s.printf("closed")
			case <-time.After(time.Minute):
				s.printf("open")
			}
		}},
		{name: "informer watcher/a slow reader", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			source.Add(pod("a", ""))
			_, _, stream, done := watchtools.NewIndexerInformerWatcher(source, &corev1.Pod{})
			s.printf("%v", changes(stream, 1))
			for range 3000 {
				source.Modify(pod("a", ""))
				s.sleep(0)
			}
			source.Add(pod("brief", ""))
			source.Delete(pod("brief", ""))
			pending, last := 0, ""
			for quiet := false; !quiet; {
				select {
				case event := <-stream.ResultChan():
					pending, last = pending+1, fmt.Sprint(event.Type, " ", show(event.Object))
				case <-time.After(time.Minute):
					quiet = true
				}
			}
			s.printf("the last one: %s", last)
			s.printf("all of them: %v", pending == 3002)
			stream.Stop()
			<-done
		}},
	}
}
