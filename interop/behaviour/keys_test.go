package behaviour

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// oddObjects returns objects of many types, and values that are not objects.
func oddObjects() []struct {
	name string
	obj  any
} {
	return []struct {
		name string
		obj  any
	}{
		{"a pod", pod("a", "1")},
		{"a node", node("n")},
		{"a pod without a name", &corev1.Pod{}},
		{"a pod by value", *pod("a", "1")},
		{"unstructured", &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "u", "namespace": "ns"}}}},
		{"unstructured without anything", &unstructured.Unstructured{}},
		{"metadata alone", &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "p"}}},
		{"an explicit key", cache.ExplicitKey("ns/x")},
		{"a tombstone", cache.DeletedFinalStateUnknown{Key: "ns/gone", Obj: pod("a", "1")}},
		{"a pointer to a tombstone", &cache.DeletedFinalStateUnknown{Key: "ns/gone"}},
		{"a tombstone in a tombstone", cache.DeletedFinalStateUnknown{Key: "outer", Obj: cache.DeletedFinalStateUnknown{Key: "inner"}}},
		{"a string", "ns/name"},
		{"an int", 7},
		{"nothing", nil},
		{"a list", &corev1.PodList{}},
		{"deltas", cache.Deltas{{Type: cache.Added, Object: pod("a", "1")}}},
	}
}

func keys() []testCase {
	return []testCase{
		{name: "keys/functions", run: func(s *scenario) {
			for _, o := range oddObjects() {
				s.attempt("plain of "+o.name, func() {
					key, err := cache.MetaNamespaceKeyFunc(o.obj)
					s.printf("plain of %s: %q, %s", o.name, key, failed(err))
				})
				s.attempt("deletion handling of "+o.name, func() {
					key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o.obj)
					s.printf("deletion handling of %s: %q, %s", o.name, key, failed(err))
				})
			}
		}},
		{name: "keys/split", run: func(s *scenario) {
			for _, key := range []string{"ns/name", "name", "", "/", "/name", "ns/", "a/b/c", "a//b", " / ", "ns/na%2Fme", "日本/語"} {
				namespace, name, err := cache.SplitMetaNamespaceKey(key)
				s.printf("%q: %q %q, %s", key, namespace, name, failed(err))
			}
		}},
		{name: "keys/object names", run: func(s *scenario) {
			for _, key := range []string{"ns/name", "name", "", "/", "a/b/c"} {
				name, err := cache.ParseObjectName(key)
				namespace, own := name.Parts()
				s.printf("%q: %q, of %q and %q, %s, as %v", key, name.String(), namespace, own, failed(err), name.AsNamespacedName())
			}
			for _, o := range oddObjects() {
				s.attempt("name of "+o.name, func() {
					name, err := cache.ObjectToName(o.obj)
					s.printf("name of %s: %q, %s", o.name, name, failed(err))
				})
				s.attempt("deletion handling name of "+o.name, func() {
					name, err := cache.DeletionHandlingObjectToName(o.obj)
					s.printf("deletion handling name of %s: %q, %s", o.name, name, failed(err))
				})
			}
			s.printf("%v", cache.NewObjectName("ns", "name") == cache.MetaObjectToName(&metav1.ObjectMeta{Namespace: "ns", Name: "name"}))
			s.printf("%v", cache.NamespacedNameAsObjectName(types.NamespacedName{Namespace: "ns", Name: "name"}))
			s.printf("%v", map[cache.ObjectName]int{cache.NewObjectName("", "x"): 1}[cache.ObjectName{Name: "x"}])
		}},
		{name: "keys/nil pointers", rows: "nil-arguments", run: func(s *scenario) {
			var none *corev1.Pod
			s.attempt("key", func() {
				key, err := cache.MetaNamespaceKeyFunc(none)
				s.printf("key: %q, %s", key, failed(err))
			})
			s.attempt("namespace", func() {
				values, err := cache.MetaNamespaceIndexFunc(none)
				s.printf("namespace: %q, %s", values, failed(err))
			})
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.attempt("add", func() { s.outcome("add", store.Add(none)) })
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "keys/errors", run: func(s *scenario) {
			cause := errors.New("the cause")
			err := cache.KeyError{Obj: "obj", Err: cause}
			s.printf("%v, %v", errors.Is(err, cause), errors.Unwrap(err) == cause)
			_, fails := cache.MetaNamespaceKeyFunc(7)
			var of cache.KeyError
			s.printf("%v", errors.As(fails, &of))
			store := cache.NewStore(func(any) (string, error) { return "", cause })
			fails = store.Add(1)
			s.printf("%v, %v %v", errors.Is(fails, cause), errors.As(fails, &of), of.Obj)
		}},
		{name: "keys/namespaces", run: func(s *scenario) {
			for _, o := range oddObjects() {
				s.attempt("namespace of "+o.name, func() {
					values, err := cache.MetaNamespaceIndexFunc(o.obj)
					s.printf("namespace of %s: %q, %s", o.name, values, failed(err))
				})
			}
			one := cache.IndexFuncToKeyFuncAdapter(func(obj any) ([]string, error) {
				return map[any][]string{"none": nil, "one": {"1"}, "two": {"1", "2"}}[obj], nil
			})
			for _, obj := range []any{"none", "one", "two", cache.ExplicitKey("k")} {
				s.attempt(show(obj), func() {
					key, err := one(obj)
					s.printf("%s: %q, %s", show(obj), key, failed(err))
				})
			}
			_, err := cache.IndexFuncToKeyFuncAdapter(func(any) ([]string, error) { return nil, errors.New("x") })("x")
			s.outcome("of an index function that fails", err)
		}},
	}
}
