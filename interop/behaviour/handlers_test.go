package behaviour

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// unstructured runs an informer of objects without a Go type.
func (s *scenario) unstructured() {
	made := func(name, version, kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "resourceVersion": version}}}
	}
	w := newFakeServer()
	w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
		list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*made("a", "1", "Cake"), *made("b", "2", "Cake")}}
		list.SetResourceVersion("5")
		return list, nil, true
	}
	expected := &unstructured.Unstructured{}
	expected.SetAPIVersion("v1")
	expected.SetKind("Cake")
	informer := newSharedInformer(w.source(), expected, 0)
	r := &recorder{}
	_, err := informer.AddEventHandler(r)
	s.check(err)
	s.start(informer.RunWithContext)
	s.settle()
	w.send(watch.Modified, made("a", "6", "Cake"))
	w.send(watch.Added, made("c", "7", "Bread"))
	s.settle()
	s.printEvents("handler", r)
}

func handlers() []testCase {
	return []testCase{
		{name: "handler/functions", run: func(s *scenario) {
			var lines []string
			functions := cache.ResourceEventHandlerFuncs{
				AddFunc:    func(obj any) { lines = append(lines, "add "+show(obj)) },
				UpdateFunc: func(old, new any) { lines = append(lines, "update "+show(old)+" "+show(new)) },
				DeleteFunc: func(obj any) { lines = append(lines, "delete "+show(obj)) },
			}
			functions.OnAdd(pod("a", "1"), true)
			functions.OnUpdate(pod("a", "1"), pod("a", "2"))
			functions.OnDelete(cache.DeletedFinalStateUnknown{Key: "k"})
			detailed := cache.ResourceEventHandlerDetailedFuncs{AddFunc: func(obj any, first bool) { lines = append(lines, show(obj), map[bool]string{true: "first"}[first]) }}
			detailed.OnAdd(pod("a", "1"), true)
			detailed.OnAdd(pod("a", "1"), false)
			detailed.OnUpdate(nil, nil)
			detailed.OnDelete(nil)
			s.printf("%q", lines)
		}},
		{name: "handler/filter", run: func(s *scenario) {
			r := &recorder{}
			var asked []string
			f := cache.FilteringResourceEventHandler{Handler: r, FilterFunc: func(obj any) bool {
				asked = append(asked, show(obj))
				return strings.Contains(show(obj), "(in)")
			}}
			in, out := labeled(pod("a", "1"), "in"), labeled(pod("a", "2"), "out")
			f.OnAdd(in, true)
			f.OnAdd(out, true)
			f.OnUpdate(in, in)
			f.OnUpdate(in, out)
			f.OnUpdate(out, in)
			f.OnUpdate(out, out)
			f.OnDelete(in)
			f.OnDelete(out)
			f.OnDelete(cache.DeletedFinalStateUnknown{Key: "k", Obj: in})
			s.printEvents("handler", r)
			s.printf("asked: %q", asked)
		}},
		{name: "handler/filter and a deletion with another state", rows: "filter-delete", run: func(s *scenario) {
			w := newFakeServer()
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(cache.FilteringResourceEventHandler{Handler: r, FilterFunc: func(obj any) bool {
				return strings.Contains(show(obj), "(in)")
			}})
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "in")
			w.put("b", "out")
			s.settle()
			s.printEvents("handler", r)
			w.send(watch.Deleted, labeled(pod("a", "10"), "out"))
			w.send(watch.Deleted, labeled(pod("b", "11"), "in"))
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "handler/filter without a handler", rows: "nil-arguments", run: func(s *scenario) {
			s.attempt("add", func() {
				cache.FilteringResourceEventHandler{FilterFunc: func(any) bool { return true }}.OnAdd(pod("a", "1"), false)
			})
			s.attempt("add without a filter", func() {
				cache.FilteringResourceEventHandler{Handler: cache.ResourceEventHandlerFuncs{}}.OnAdd(pod("a", "1"), false)
			})
		}},
		{name: "handler/typed", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			typed := cache.NewTypedSharedIndexInformer[*corev1.Pod](informer)
			var lines []string
			registration, err := typed.AddTypedEventHandler(cache.TypedResourceEventHandlerDetailedFuncs[*corev1.Pod]{
				AddFunc: func(p *corev1.Pod, first bool) {
					lines = append(lines, "add "+show(p)+map[bool]string{true: " first"}[first])
				},
				UpdateFunc: func(old, new *corev1.Pod) { lines = append(lines, "update "+show(old)+" "+show(new)) },
				DeleteFunc: func(d cache.DeletedObject[*corev1.Pod]) {
					lines = append(lines, "delete "+show(d.OptionalObj)+" "+d.GetKey()+" "+d.GetNamespace()+" "+d.GetName()+" "+d.GetObjectName().String())
					if d.FinalStateUnknown != nil {
						lines = append(lines, "unknown: "+show(*d.FinalStateUnknown))
					}
				},
			})
			s.outcome("add", err)
			s.outcome("indexers", typed.AddTypedIndexers(cache.TypedIndexers[*corev1.Pod]{"is": func(p *corev1.Pod) ([]string, error) { return []string{p.Labels["is"]}, nil }}))
			s.start(typed.RunWithContext)
			s.settle()
			w.put("a", "red")
			w.put("b", "red")
			w.remove("b")
			s.settle()
			s.printf("%v %q", registration.HasSynced(), lines)
			lines = nil
			pods, err := typed.GetTypedIndexer().ByTypedIndex("is", "red")
			s.printf("%q %s", shown(pods), failed(err))
			pods, err = typed.GetTypedIndexer().TypedIndex("is", labeled(pod("q", "1"), "red"))
			s.printf("%q %s", shown(pods), failed(err))
			pods, err = typed.GetTypedIndexer().ByTypedIndex("none", "red")
			s.printf("%q %s", shown(pods), failed(err))
			s.outcome("indexers of the indexer", typed.GetTypedIndexer().AddTypedIndexers(cache.TypedIndexers[*corev1.Pod]{"name": func(p *corev1.Pod) ([]string, error) { return []string{p.Name}, nil }}))
			s.printf("%d", len(typed.GetIndexer().GetIndexers()))
			w.relistAfter(func() { w.remove("a") })
			s.settle()
			s.printf("%q", lines)
			_, err = typed.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{}, cache.HandlerOptions{}, cache.HandlerOptions{})
			s.outcome("two options", err)
		}},
		{name: "handler/typed filter", run: func(s *scenario) {
			var lines []string
			f := cache.TypedFilteringResourceEventHandler[*corev1.Pod]{
				FilterFunc: func(p *corev1.Pod) bool { return p != nil && p.Labels["is"] == "in" },
				Handler: cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
					AddFunc:    func(p *corev1.Pod) { lines = append(lines, "add "+show(p)) },
					UpdateFunc: func(old, new *corev1.Pod) { lines = append(lines, "update "+show(old)+" "+show(new)) },
					DeleteFunc: func(d cache.DeletedObject[*corev1.Pod]) { lines = append(lines, "delete "+d.GetKey()) },
				},
			}
			in, out := labeled(pod("a", "1"), "in"), labeled(pod("a", "2"), "out")
			f.OnAdd(in, true)
			f.OnAdd(out, true)
			f.OnUpdate(in, in)
			f.OnUpdate(in, out)
			f.OnUpdate(out, in)
			f.OnUpdate(out, out)
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{OptionalObj: in})
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{OptionalObj: out})
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "k"}})
			s.printf("%q", lines)
		}},
		{name: "handler/deleted objects", run: func(s *scenario) {
			for _, d := range []cache.DeletedObject[*corev1.Pod]{
				{OptionalObj: pod("a", "1")},
				{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "ns/gone"}},
				{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "a/b/c"}},
				{OptionalObj: pod("a", "1"), FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "ns/a", Obj: pod("a", "1")}},
			} {
				s.attempt("names", func() { s.printf("%q %q %q %q", d.GetKey(), d.GetNamespace(), d.GetName(), d.GetObjectName()) })
			}
		}},
		{name: "handler/typed handler and an object of another type", rows: "typed-handler", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			typed := cache.NewTypedSharedIndexInformer[*corev1.Node](informer)
			_, err := typed.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Node]{AddFunc: func(*corev1.Node) {}})
			s.check(err)
			s.start(typed.RunWithContext)
			s.settle()
			s.printf("%v", informer.HasSynced())
		}},
		{name: "handler/a panic ends the process", run: func(s *scenario) {
			informer := newSharedInformer(newFakeServer("a").source(), &corev1.Pod{}, 0)
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("as planned") }})
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("not reached")
		}},
		{name: "handler/a panic that does not end the process", rows: "handler-panic", run: func(s *scenario) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			w := newFakeServer("a", "b")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			r.then = func(line string) {
				if strings.Contains(line, "/a@") {
					panic("as planned")
				}
			}
			registration, err := informer.AddEventHandler(r)
			s.check(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			s.printEvents("handler", r)
			s.printf("synced: %v", registration.HasSynced())
			w.put("b", "next")
			s.settle()
			s.printEvents("handler", r)
			stop()
		}},
		{name: "handler/a handler that does not expect tombstones", run: func(s *scenario) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			w := newFakeServer("a", "b")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			var lines []string
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
				lines = append(lines, object(obj).GetName())
			}})
			s.check(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			w.relistAfter(func() { w.remove("a") })
			s.settle()
			w.remove("b")
			s.settle()
			s.printf("%q", lines)
			stop()
		}},
	}
}
