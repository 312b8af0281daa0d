package behaviour

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/metadata/metadatalister"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/cache/synctrack"
	framework "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/retry"
)

// besides returns the cases of the small packages that are imported beside tools/cache.
func besides() []testCase {
	return slices.Concat(fakeSources(), trackers(), retries(), typedListers())
}

// changes returns the next events of a watch.
func changes(from watch.Interface, count int) (lines []string) {
	for range count {
		event := <-from.ResultChan()
		lines = append(lines, fmt.Sprintf("%s %s", event.Type, show(event.Object)))
	}
	return lines
}

func fakeSources() []testCase {
	open := func(s *scenario, source cache.ListerWatcher, version string) watch.Interface {
		stream, err := source.Watch(metav1.ListOptions{ResourceVersion: version})
		s.printf("watch of version %q: %s, expired: %v", version, failed(err), apierrors.IsResourceExpired(err))
		if stream != nil {
			s.stops = append(s.stops, stream.Stop)
		}
		return stream
	}
	items := func(source cache.ListerWatcher) string {
		list, err := source.List(metav1.ListOptions{})
		if err != nil {
			return "error"
		}
		m, _ := meta.ListAccessor(list)
		of, err := meta.ExtractList(list)
		return objects(of, err) + " at " + m.GetResourceVersion()
	}
	return []testCase{
		{name: "fake source/lists and watches", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			a := pod("a", "")
			source.Add(a)
			s.printf("%s", show(a))
			source.Add(pod("b", ""))
			stream := open(s, source, "2")
			source.Modify(labeled(a, "changed"))
			source.AddDropWatch(pod("c", ""))
			source.Delete(pod("b", ""))
			s.printf("%v", changes(stream, 2))
			s.printf("%s", items(source))
			s.printf("%v", changes(open(s, source, "1"), 4))
			open(s, source, "")
			open(s, source, "9")
			source.ListError = errors.New("refused")
			s.printf("%s", items(source))
		}},
		{name: "fake source/a reset of the watch", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			stream := open(s, source, "0")
			source.AddDropWatch(pod("a", ""))
			source.ResetWatch()
			_, ok := <-stream.ResultChan()
			s.printf("open: %v", ok)
			open(s, source, "0")
			open(s, source, "1")
		}},
		{name: "fake source/the version before the oldest change", rows: "fake-source-gap", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			source.Add(pod("a", ""))
			open(s, source, "0")
		}},
		{name: "fake source/an object that the test changes later", rows: "fake-source-copies", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			a := pod("a", "")
			source.Add(a)
			a.Name = "other"
			s.printf("%s", items(source))
		}},
		{name: "fake source/the order of a list", rows: "fake-source-order", run: func(s *scenario) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			for i := range 50 {
				source.Add(pod(fmt.Sprintf("%02d", i), ""))
			}
			list, err := source.List(metav1.ListOptions{})
			s.check(err)
			of, err := meta.ExtractList(list)
			s.check(err)
			s.printf("in order: %v", slices.IsSorted(shown(of)))
			_, isCore := list.(*corev1.List)
			s.printf("a List of core/v1: %v", isCore)
		}},
		{name: "fake source/volumes and claims", rows: "fake-source-error", run: func(s *scenario) {
			volumes, claims := framework.NewFakePVControllerSource(), framework.NewFakePVCControllerSource()
			defer volumes.Shutdown()
			defer claims.Shutdown()
			volumes.Add(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
			claims.Add(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}})
			for _, source := range []cache.ListerWatcher{volumes, claims} {
				list, err := source.List(metav1.ListOptions{})
				s.printf("%T, %s: %s", list, failed(err), items(source))
			}
			claims.ListError = errors.New("refused")
			s.printf("%s", items(claims))
		}},
	}
}

func trackers() []testCase {
	return []testCase{
		{name: "synctrack/the initial list", run: func(s *scenario) {
			async, single := synctrack.NewAsyncTracker[string]("async"), synctrack.NewSingleFileTracker("single")
			report := func(what string) {
				closed := func(ch <-chan struct{}) bool {
					select {
					case <-ch:
						return true
					default:
						return false
					}
				}
				s.printf("%s: %s %v %v, %s %v %v", what, async.Name(), async.HasSynced(), closed(async.Done()), single.Name(), single.HasSynced(), closed(single.Done()))
			}
			report("begin")
			async.Start("a")
			async.Start("a")
			single.Start()
			async.UpstreamHasSynced()
			single.UpstreamHasSynced()
			report("received")
			async.Finished("unknown")
			report("another key")
			async.Finished("a")
			single.Finished()
			report("processed")
			async.Start("b")
			single.Start()
			report("started again")
			single.Finished()
			s.attempt("finished too often", single.Finished)
			var checkers = []cache.DoneChecker{async, single}
			s.printf("%d", len(checkers))
		}},
		{name: "synctrack/lazy", run: func(s *scenario) {
			calls, fails := 0, true
			lazy := synctrack.Lazy[int]{Evaluate: func() (int, error) {
				if calls++; fails {
					return calls, errors.New("refused")
				}
				return calls, nil
			}}
			get := func() {
				value, err := lazy.Get()
				s.printf("%d, %s, calls: %d", value, failed(err), calls)
			}
			get()
			get()
			fails = false
			get()
			get()
			lazy.Notify()
			lazy.Notify()
			get()
		}},
		{name: "synctrack/zero values", rows: "nil-functions", run: func(s *scenario) {
			s.attempt("tracker", func() {
				s.printf("tracker: %v", (&synctrack.SingleFileTracker{}).HasSynced())
			})
			s.attempt("lazy", func() {
				_, err := (&synctrack.Lazy[int]{}).Get()
				s.outcome("lazy", err)
			})
		}},
	}
}

func retries() []testCase {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("written"))
	try := func(s *scenario, what string, backoff wait.Backoff, results ...error) {
		calls, begun := 0, time.Now()
		err := retry.RetryOnConflict(backoff, func() error {
			calls++
			return results[min(calls, len(results))-1]
		})
		s.printf("%s: calls %d, conflict %v, %s, about %d ms", what, calls, apierrors.IsConflict(err), failed(err), time.Since(begun).Milliseconds()/15*15)
	}
	return []testCase{
		{name: "retry/conflicts", run: func(s *scenario) {
			try(s, "none", retry.DefaultRetry, nil)
			try(s, "one", retry.DefaultRetry, conflict, nil)
			try(s, "wrapped", retry.DefaultRetry, fmt.Errorf("update: %w", conflict), nil)
			try(s, "another error", retry.DefaultRetry, conflict, errors.New("refused"))
			try(s, "always", wait.Backoff{Steps: 4, Duration: 15 * time.Millisecond, Factor: 2}, conflict)
			try(s, "no steps", wait.Backoff{}, conflict)
			s.printf("%+v %+v", retry.DefaultRetry, retry.DefaultBackoff)
		}},
		{name: "retry/a context that ended", rows: "retry-last-error", run: func(s *scenario) {
			try(s, "deadline", retry.DefaultRetry, conflict, wait.ErrorInterrupted(errors.New("deadline")))
		}},
		{name: "retry/no functions", rows: "nil-functions", run: func(s *scenario) {
			s.attempt("no function", func() {
				s.outcome("no function", retry.OnError(retry.DefaultRetry, func(error) bool { return true }, nil))
			})
			s.attempt("no test", func() {
				s.outcome("no test", retry.OnError(retry.DefaultRetry, nil, func() error { return conflict }))
			})
		}},
	}
}

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func typedListers() []testCase {
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	red := labels.SelectorFromSet(labels.Set{"is": "red"})
	unstructuredStore := func(s *scenario) cache.Indexer {
		store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace)
		for _, key := range []string{"ns/a", "other/b", "c"} {
			namespace, name, err := cache.SplitMetaNamespaceKey(key)
			s.check(err)
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetNamespace(namespace)
			u.SetName(name)
			u.SetLabels(map[string]string{"is": map[bool]string{true: "red", false: "blue"}[name == "a"]})
			s.check(store.Add(u))
		}
		return store
	}
	return []testCase{
		{name: "lister/dynamic", run: func(s *scenario) {
			lister := dynamiclister.New(unstructuredStore(s), widgets)
			for _, selector := range []labels.Selector{labels.Everything(), red, labels.Nothing()} {
				all, err := lister.List(selector)
				s.printf("%v, %s", sorted(shown(all)), failed(err))
				all, err = lister.Namespace("ns").List(selector)
				s.printf("%v, %s", sorted(shown(all)), failed(err))
			}
			one, err := lister.Get("c")
			s.printf("%s, %s", show(one), failed(err))
			one, err = lister.Namespace("ns").Get("a")
			s.printf("%s, %s", show(one), failed(err))
			_, err = lister.Namespace("ns").Get("b")
			s.printf("%v", err)
			shim := dynamiclister.NewRuntimeObjectShim(lister)
			s.printf("%s", objects(shim.List(red)))
			s.printf("%s", objects(shim.ByNamespace("other").List(labels.Everything())))
			object, err := shim.ByNamespace("ns").Get("a")
			s.printf("%s, %s", show(object), failed(err))
		}},
		{name: "lister/metadata", run: func(s *scenario) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace)
			s.check(store.Add(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}))
			lister := metadatalister.New(store, widgets)
			all, err := lister.Namespace("ns").List(labels.Everything())
			s.printf("%v, %s", shown(all), failed(err))
			_, err = lister.Get("a")
			s.printf("%v", err)
			one, err := lister.Namespace("ns").Get("a")
			s.printf("%s, %s", show(one), failed(err))
			s.printf("%s", objects(metadatalister.NewRuntimeObjectShim(lister).List(labels.Everything())))
		}},
		{name: "lister/dynamic, objects of another type", rows: "lister-type", run: func(s *scenario) {
			lister := dynamiclister.New(coloredPods(byNamespace), widgets)
			s.attempt("list", func() {
				_, err := lister.List(labels.Everything())
				s.outcome("list", err)
			})
			s.attempt("get", func() {
				_, err := lister.Namespace("ns").Get("a")
				s.outcome("get", err)
			})
		}},
		{name: "lister/the object beside an error", rows: "lister-nil", run: func(s *scenario) {
			var object runtime.Object
			object, err := dynamiclister.NewRuntimeObjectShim(dynamiclister.New(unstructuredStore(s), widgets)).Get("none")
			s.printf("not found: %v, nil: %v", apierrors.IsNotFound(err), object == nil)
		}},
	}
}
