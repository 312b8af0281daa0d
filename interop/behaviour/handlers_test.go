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

// unstructured plays an informer of objects that have no Go type.
func (s *stage) unstructured() {
	made := func(name, version, kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "resourceVersion": version}}}
	}
	w := newWorld()
	w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
		list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*made("a", "1", "Cake"), *made("b", "2", "Cake")}}
		list.SetResourceVersion("5")
		return list, nil, true
	}
	expected := &unstructured.Unstructured{}
	expected.SetAPIVersion("v1")
	expected.SetKind("Cake")
	informer := cache.NewSharedInformer(w.source(), expected, 0)
	r := &recorder{}
	_, err := informer.AddEventHandler(r)
	s.unless(err)
	s.start(informer.RunWithContext)
	s.settle()
	w.send(watch.Modified, made("a", "6", "Cake"))
	w.send(watch.Added, made("c", "7", "Bread"))
	s.settle()
	s.tell("handler", r)
}

func handlers() []scene {
	return []scene{
		{name: "handler/functions", play: func(s *stage) {
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
			s.say("%q", lines)
		}},
		{name: "handler/filter", play: func(s *stage) {
			r := &recorder{}
			var asked []string
			f := cache.FilteringResourceEventHandler{Handler: r, FilterFunc: func(obj any) bool {
				asked = append(asked, show(obj))
				return strings.Contains(show(obj), "(in)")
			}}
			in, out := is(pod("a", "1"), "in"), is(pod("a", "2"), "out")
			f.OnAdd(in, true)
			f.OnAdd(out, true)
			f.OnUpdate(in, in)
			f.OnUpdate(in, out)
			f.OnUpdate(out, in)
			f.OnUpdate(out, out)
			f.OnDelete(in)
			f.OnDelete(out)
			f.OnDelete(cache.DeletedFinalStateUnknown{Key: "k", Obj: in})
			s.tell("handler", r)
			s.say("asked: %q", asked)
		}},
		{name: "handler/filter, and a deletion in another state", rows: "filter-delete", play: func(s *stage) {
			w := newWorld()
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := informer.AddEventHandler(cache.FilteringResourceEventHandler{Handler: r, FilterFunc: func(obj any) bool {
				return strings.Contains(show(obj), "(in)")
			}})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "in")
			w.put("b", "out")
			s.settle()
			s.tell("handler", r)
			w.send(watch.Deleted, is(pod("a", "10"), "out"))
			w.send(watch.Deleted, is(pod("b", "11"), "in"))
			s.settle()
			s.tell("handler", r)
		}},
		{name: "handler/filter without a handler", rows: "nil-arguments", play: func(s *stage) {
			s.attempt("add", func() {
				cache.FilteringResourceEventHandler{FilterFunc: func(any) bool { return true }}.OnAdd(pod("a", "1"), false)
			})
			s.attempt("add without a filter", func() {
				cache.FilteringResourceEventHandler{Handler: cache.ResourceEventHandlerFuncs{}}.OnAdd(pod("a", "1"), false)
			})
		}},
		{name: "handler/typed", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
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
			w.drop("b")
			s.settle()
			s.say("%v %q", registration.HasSynced(), lines)
			lines = nil
			pods, err := typed.GetTypedIndexer().ByTypedIndex("is", "red")
			s.say("%q %s", shown(pods), failed(err))
			pods, err = typed.GetTypedIndexer().TypedIndex("is", is(pod("q", "1"), "red"))
			s.say("%q %s", shown(pods), failed(err))
			pods, err = typed.GetTypedIndexer().ByTypedIndex("none", "red")
			s.say("%q %s", shown(pods), failed(err))
			s.outcome("indexers of the indexer", typed.GetTypedIndexer().AddTypedIndexers(cache.TypedIndexers[*corev1.Pod]{"name": func(p *corev1.Pod) ([]string, error) { return []string{p.Name}, nil }}))
			s.say("%d", len(typed.GetIndexer().GetIndexers()))
			w.silently(func() { w.drop("a") })
			s.settle()
			s.say("%q", lines)
			_, err = typed.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{}, cache.HandlerOptions{}, cache.HandlerOptions{})
			s.outcome("two options", err)
		}},
		{name: "handler/typed filter", play: func(s *stage) {
			var lines []string
			f := cache.TypedFilteringResourceEventHandler[*corev1.Pod]{
				FilterFunc: func(p *corev1.Pod) bool { return p != nil && p.Labels["is"] == "in" },
				Handler: cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
					AddFunc:    func(p *corev1.Pod) { lines = append(lines, "add "+show(p)) },
					UpdateFunc: func(old, new *corev1.Pod) { lines = append(lines, "update "+show(old)+" "+show(new)) },
					DeleteFunc: func(d cache.DeletedObject[*corev1.Pod]) { lines = append(lines, "delete "+d.GetKey()) },
				},
			}
			in, out := is(pod("a", "1"), "in"), is(pod("a", "2"), "out")
			f.OnAdd(in, true)
			f.OnAdd(out, true)
			f.OnUpdate(in, in)
			f.OnUpdate(in, out)
			f.OnUpdate(out, in)
			f.OnUpdate(out, out)
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{OptionalObj: in})
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{OptionalObj: out})
			f.OnDelete(cache.DeletedObject[*corev1.Pod]{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "k"}})
			s.say("%q", lines)
		}},
		{name: "handler/deleted objects", play: func(s *stage) {
			for _, d := range []cache.DeletedObject[*corev1.Pod]{
				{OptionalObj: pod("a", "1")},
				{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "ns/gone"}},
				{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "a/b/c"}},
				{OptionalObj: pod("a", "1"), FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "ns/a", Obj: pod("a", "1")}},
			} {
				s.attempt("names", func() { s.say("%q %q %q %q", d.GetKey(), d.GetNamespace(), d.GetName(), d.GetObjectName()) })
			}
		}},
		{name: "handler/typed, and an object of another type", rows: "typed-handler", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			typed := cache.NewTypedSharedIndexInformer[*corev1.Node](informer)
			_, err := typed.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Node]{AddFunc: func(*corev1.Node) {}})
			s.unless(err)
			s.start(typed.RunWithContext)
			s.settle()
			s.say("%v", informer.HasSynced())
		}},
		{name: "handler/a panic ends the process", play: func(s *stage) {
			informer := cache.NewSharedInformer(newWorld("a").source(), &corev1.Pod{}, 0)
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("as planned") }})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.say("not reached")
		}},
		{name: "handler/a panic that does not", rows: "handler-panic", play: func(s *stage) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			w := newWorld("a", "b")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			r.then = func(line string) {
				if strings.Contains(line, "/a@") {
					panic("as planned")
				}
			}
			registration, err := informer.AddEventHandler(r)
			s.unless(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			s.tell("handler", r)
			s.say("synced: %v", registration.HasSynced())
			w.put("b", "next")
			s.settle()
			s.tell("handler", r)
			stop()
		}},
		{name: "handler/one that does not expect tombstones", play: func(s *stage) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			w := newWorld("a", "b")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			var lines []string
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
				lines = append(lines, obj.(*corev1.Pod).Name)
			}})
			s.unless(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			w.silently(func() { w.drop("a") })
			s.settle()
			w.drop("b")
			s.settle()
			s.say("%q", lines)
			stop()
		}},
	}
}
