package behaviour

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	framework "k8s.io/client-go/tools/cache/testing"
)

// runFakeInformer runs an informer on functions: a list of one version, and one watch.
func (s *scenario) runFakeInformer(version string, pods ...*corev1.Pod) (*watch.FakeWatcher, cache.SharedIndexInformer, *recorder) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, p := range pods {
		list.Items = append(list.Items, *p)
	}
	stream := watch.NewFake()
	informer, r := s.runInformerOn(withoutStreams(&cache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return list.DeepCopy(), nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return stream, nil },
	}))
	return stream, informer, r
}

// withoutStreams returns a source that reports that it does not stream initial events, as
// client-go requires it of fakes.
func withoutStreams(lw *cache.ListWatch) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(lw, lists{})
}

type lists struct{}

func (lists) IsWatchListSemanticsUnSupported() bool { return true }

// runInformerOn runs an informer with one handler on any source.
func (s *scenario) runInformerOn(source cache.ListerWatcher) (cache.SharedIndexInformer, *recorder) {
	informer, r := newSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{}), &recorder{}
	_, err := informer.AddEventHandler(r)
	s.check(err)
	s.start(informer.RunWithContext)
	s.settle()
	s.printSortedEvents("handler", r)
	return informer, r
}

// printEventsNow prints the notifications of a handler without waiting.
func (s *scenario) printEventsNow(r *recorder) {
	s.sleep(0)
	s.printEvents("handler", r)
}

func fakes() []testCase {
	return []testCase{
		{name: "fake/versions that decrease, repeat and are empty", run: func(s *scenario) {
			stream, informer, r := s.runFakeInformer("10", pod("a", "10"))
			for _, step := range []struct {
				kind watch.EventType
				pod  *corev1.Pod
			}{
				{watch.Added, pod("b", "5")},
				{watch.Modified, labeled(pod("b", "4"), "decreased")},
				{watch.Modified, labeled(pod("b", "4"), "repeated")},
				{watch.Modified, labeled(pod("b", "4"), "repeated")},
				{watch.Modified, labeled(pod("b", ""), "empty")},
				{watch.Modified, labeled(pod("b", ""), "empty")},
				{watch.Deleted, pod("a", "1")},
				{watch.Added, pod("a", "1")},
				{watch.Deleted, pod("b", "")},
			} {
				stream.Action(step.kind, step.pod)
				s.printEventsNow(r)
			}
			s.printf("%s", found(informer.GetStore().List(), nil))
			s.sleep(time.Hour)
			stream.Add(pod("c", "2"))
			s.printEventsNow(r)
			s.printf("stopped: %v", stream.IsStopped())
		}},
		{name: "fake/no versions at all", run: func(s *scenario) {
			stream, informer, r := s.runFakeInformer("", pod("a", ""))
			stream.Modify(labeled(pod("a", ""), "changed"))
			stream.Add(pod("b", ""))
			stream.Delete(pod("a", ""))
			s.printEventsNow(r)
			s.printf("%s %q", found(informer.GetStore().List(), nil), informer.LastSyncResourceVersion())
		}},
		{name: "fake/an object that a test changes in place", run: func(s *scenario) {
			stream, _, r := s.runFakeInformer("1")
			p := pod("a", "2")
			stream.Add(p)
			s.printEventsNow(r)
			p.Labels = map[string]string{"is": "changed"}
			stream.Modify(p)
			s.printEventsNow(r)
		}},
		{name: "fake/bookmarks, and events before them", run: func(s *scenario) {
			stream, _, r := s.runFakeInformer("1")
			stream.Add(pod("a", "20"))
			stream.Action(watch.Bookmark, bookmark("30", false))
			stream.Modify(labeled(pod("a", "25"), "older than the bookmark"))
			stream.Modify(labeled(pod("a", "21"), "older still"))
			s.printEventsNow(r)
		}},
		{name: "fake/deltas of a reflector", run: func(s *scenario) {
			list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}, Items: []corev1.Pod{*pod("a", "10")}}
			stream, store := watch.NewFake(), cache.NewStore(cache.MetaNamespaceKeyFunc)
			r := cache.NewReflector(withoutStreams(&cache.ListWatch{
				ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return list, nil },
				WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return stream, nil },
			}), &corev1.Pod{}, store, 0)
			s.start(func(ctx context.Context) { r.Run(ctx.Done()) })
			s.settle()
			stream.Modify(labeled(pod("a", "3"), "decreased"))
			stream.Add(pod("b", "3"))
			s.sleep(0)
			s.printf("%s %q", found(store.List(), nil), r.LastSyncResourceVersion())
		}},
		{name: "fake/FakeControllerSource", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			source.Add(pod("a", ""))
			informer, r := s.runInformerOn(source)
			source.Add(pod("b", ""))
			source.Modify(labeled(pod("a", ""), "changed"))
			source.Delete(pod("b", ""))
			s.printEventsNow(r)
			source.Broadcaster.Action(watch.Modified, labeled(pod("a", "1"), "of an old version"))
			s.sleep(0)
			source.Broadcaster.Action(watch.Modified, labeled(pod("a", ""), "of no version"))
			s.printEventsNow(r)
			s.sleep(time.Hour)
			source.Modify(labeled(pod("a", ""), "after an hour"))
			s.printEventsNow(r)
			s.printf("%s", found(informer.GetStore().List(), nil))
			s.stops[0]()
		}},
		{name: "fake/FakeControllerSource that drops an event and resets the watch", rows: "relist-unchanged", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			source.Add(pod("a", ""))
			informer, r := s.runInformerOn(source)
			source.AddDropWatch(pod("b", ""))
			source.ResetWatch()
			s.sleep(time.Minute)
			source.Modify(labeled(pod("b", ""), "changed"))
			s.sleep(time.Minute)
			s.printSortedEvents("handler", r) // the source lists its objects in the order of a map
			s.printf("%s", found(informer.GetStore().List(), nil))
			s.stops[0]()
		}},
		{name: "fake/lists whose versions go back", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c")
			informer, _ := s.runInformer(w, 0)
			w.onList = w.older()
			w.relistAfter(func() {})
			s.sleep(10 * time.Second)
			s.printf("%s, lists: %d", found(informer.GetStore().List(), nil), w.lists)
		}},
		{name: "fake/lists whose versions go back after a bookmark", rows: "version-order", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c")
			informer, r := s.runInformer(w, 0)
			r.take()
			w.send(watch.Bookmark, bookmark("3", false))
			w.onList = w.older()
			w.relistAfter(func() {})
			s.sleep(time.Minute)
			s.printSortedEvents("handler", r)
			s.printf("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "fake/a fake clientset in functions", rows: "hand-made", run: func(s *scenario) { s.clientset(false) }},
		{name: "fake/a fake clientset that reports what it supports", run: func(s *scenario) { s.clientset(true) }},
	}
}

// older makes the next list that of a replica that lags behind.
func (w *fakeServer) older() func(int, metav1.ListOptions) (runtime.Object, error, bool) {
	next := w.lists + 1
	return func(n int, _ metav1.ListOptions) (runtime.Object, error, bool) {
		return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*pod("a", "1")}}, nil, n == next
	}
}

// clientset prints the notifications of changes that are made with a fake clientset. If
// supports is true, the source reports which lists the clientset supports.
func (s *scenario) clientset(supports bool) {
	clientset := fake.NewClientset(pod("a", "5"))
	pods := clientset.CoreV1().Pods("ns")
	ctx := s.t.Context()
	functions := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return pods.List(ctx, o) },
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, o)
		},
	}
	var source cache.ListerWatcher = functions
	if supports {
		source = cache.ToListWatcherWithWatchListSemantics(functions, clientset)
	}
	informer, r := s.runInformerOn(source)
	_, err := pods.Create(ctx, pod("b", ""), metav1.CreateOptions{})
	s.check(err)
	s.printEventsNow(r)
	for _, p := range []*corev1.Pod{labeled(pod("a", "5"), "same version"), labeled(pod("a", "5"), "same version"), labeled(pod("a", "2"), "older version"), labeled(pod("b", ""), "no version")} {
		_, err = pods.Update(ctx, p, metav1.UpdateOptions{})
		s.check(err)
		s.printEventsNow(r)
	}
	s.check(pods.Delete(ctx, "a", metav1.DeleteOptions{}))
	s.printEventsNow(r)
	s.sleep(time.Hour)
	s.check(pods.Delete(ctx, "b", metav1.DeleteOptions{}))
	s.printEventsNow(r)
	s.printf("%s", found(informer.GetStore().List(), nil))
}
