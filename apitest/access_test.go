package apitest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/rest"
)

// ConfigMap is a user's type in place of the one of k8s.io/api. Its kind is the
// name of the Go type.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

type Deployment struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas int      `json:"replicas"`
		Args     []string `json:"args,omitempty"`
	} `json:"spec"`
	Status struct {
		ReadyReplicas int `json:"readyReplicas"`
	} `json:"status"`
}

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// failure is a TB that records the line of a failure.
type failure struct{ line string }

func (*failure) Helper()                             {}
func (f *failure) Fatalf(format string, args ...any) { f.line = fmt.Sprintf(format, args...) }

func inMemory(t *testing.T) *Server {
	srv := NewServer(Options{InMemory: true, Seed: 1})
	t.Cleanup(srv.Close)
	return srv
}

// Clients read the objects that Go code creates: with a uid, a creation time
// and a version, in a namespace that is created with them, with their status,
// and without managedFields.
func TestCreateIsSeenByClients(t *testing.T) {
	srv := inMemory(t)
	d := &Deployment{ObjectMeta: named("shop", "web")}
	d.Spec.Replicas, d.Status.ReadyReplicas = 3, 2
	created := Create(t, srv, d)
	require.NotEmpty(t, created.UID)
	require.NotEmpty(t, created.ResourceVersion)
	require.False(t, created.CreationTimestamp.IsZero())
	require.EqualValues(t, 1, created.Generation)
	require.Empty(t, d.UID, "the caller's object is not modified")

	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*Deployment](client, rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Namespaced: true})
	seen, err := view.Namespace("shop").Get(context.Background(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, created, seen)
	require.Empty(t, seen.ManagedFields)
	namespace := Get(t, srv, unstructuredOf("v1", "Namespace", "", "shop"))
	require.Equal(t, "Active", objects.At(namespace.Object, "status.phase"))
}

func unstructuredOf(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	return obj
}

// The access functions create, read, update and delete objects.
func TestAccessFunctions(t *testing.T) {
	srv := inMemory(t)
	a := Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"x": "1"}})
	require.Equal(t, "default", a.Namespace)
	require.Equal(t, a, Get(t, srv, &ConfigMap{ObjectMeta: named("", "a")}))

	same := Update(t, srv, a)
	require.Equal(t, a.ResourceVersion, same.ResourceVersion, "an update without changes assigns no version")
	a.Data["x"] = "2"
	updated := Update(t, srv, a)
	require.NotEqual(t, a.ResourceVersion, updated.ResourceVersion)
	require.Equal(t, a.UID, updated.UID)
	require.Equal(t, "2", updated.Data["x"])

	generated := Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "g-", Namespace: "b"}})
	require.Regexp(t, "^g-.{5}$", generated.Name)
	all := List(t, srv, &ConfigMap{})
	require.Len(t, all, 2)
	require.Len(t, List(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "b"}}), 1)

	gone := Delete(t, srv, updated)
	require.Equal(t, "2", gone.Data["x"])
	require.Len(t, List(t, srv, &ConfigMap{}), 1)
}

// Go access does not validate names. Objects with any name are stored as valid
// JSON.
func TestCreateAcceptsAnyName(t *testing.T) {
	srv := inMemory(t)
	for _, name := range []string{"\a", "a\x00", "\x7f", "\U000e0001", "<&>", `"\`} {
		created := Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name, GenerateName: name}})
		require.Equal(t, name, created.Namespace)
		require.True(t, strings.HasPrefix(created.Name, name), "%q", created.Name)
		require.Len(t, List(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name}}), 1)
	}
}

// Modify stores the changes of the function. Fields that T does not have stay
// as they were stored.
func TestModifyKeepsUnknownFields(t *testing.T) {
	srv := inMemory(t)
	obj := unstructuredOf("apps/v1", "Deployment", "default", "web")
	obj.Object["spec"] = map[string]any{"replicas": int64(1), "paused": true, "args": []any{"a"}}
	obj.SetLabels(map[string]string{"app": "web"})
	Create(t, srv, obj)
	got := Modify(t, srv, &Deployment{ObjectMeta: named("default", "web")}, func(d *Deployment) {
		d.Spec.Replicas, d.Spec.Args = 5, nil
		d.Labels["tier"] = "front"
	})
	require.Equal(t, 5, got.Spec.Replicas)
	require.EqualValues(t, 2, got.Generation)
	stored := Get(t, srv, obj)
	require.Equal(t, map[string]any{"replicas": int64(5), "paused": true}, stored.Object["spec"])
	require.Equal(t, map[string]string{"app": "web", "tier": "front"}, stored.GetLabels())
	again := Modify(t, srv, got, func(d *Deployment) { d.Labels["tier"] = "back" })
	require.NotEqual(t, got.ResourceVersion, again.ResourceVersion)
	got = Modify(t, srv, got, func(d *Deployment) { d.Status.ReadyReplicas = 5 })
	require.Equal(t, "back", got.Labels["tier"], "the version of like is ignored")
	require.EqualValues(t, 2, got.Generation, "the status does not count")
}

// No Modify is lost between concurrent writers.
func TestConcurrentModify(t *testing.T) {
	srv := inMemory(t)
	Create(t, srv, &Deployment{ObjectMeta: named("default", "web")})
	done := make(chan bool)
	for range 8 {
		go func() {
			for range 20 {
				Modify(t, srv, &Deployment{ObjectMeta: named("default", "web")}, func(d *Deployment) { d.Spec.Replicas++ })
			}
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
	require.Equal(t, 160, Get(t, srv, &Deployment{ObjectMeta: named("default", "web")}).Spec.Replicas)
}

// No Update of an object without a version is lost between concurrent writers.
func TestConcurrentUpdate(t *testing.T) {
	srv := inMemory(t)
	Create(t, srv, &ConfigMap{ObjectMeta: named("default", "a")})
	done := make(chan bool)
	for i := range 8 {
		go func() {
			for n := range 20 {
				Update(t, srv, &ConfigMap{ObjectMeta: named("default", "a"), Data: map[string]string{"x": fmt.Sprint(i, n)}})
			}
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
}

// A failure is one line. Without a TB it is a panic.
func TestAccessFailures(t *testing.T) {
	srv := inMemory(t)
	Create(t, srv, &ConfigMap{ObjectMeta: named("default", "a")})
	type Unknown struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	type Event struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	type Secret struct{ metav1.ObjectMeta }
	type nameless = struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	stale := Get(t, srv, &ConfigMap{ObjectMeta: named("default", "a")})
	Modify(t, srv, stale, func(c *ConfigMap) { c.Data = map[string]string{"x": "1"} })
	for want, do := range map[string]func(t TB){
		"apitest: create: ConfigMap default/a: already exists":                                                             func(t TB) { Create(t, srv, &ConfigMap{ObjectMeta: named("", "a")}) },
		"apitest: get: ConfigMap default/b: not found":                                                                     func(t TB) { Get(t, srv, &ConfigMap{ObjectMeta: named("", "b")}) },
		"apitest: update: ConfigMap default/b: not found":                                                                  func(t TB) { Update(t, srv, &ConfigMap{ObjectMeta: named("", "b")}) },
		"apitest: modify: ConfigMap default/b: not found":                                                                  func(t TB) { Modify(t, srv, &ConfigMap{ObjectMeta: named("", "b")}, nil) },
		"apitest: delete: ConfigMap default/b: not found":                                                                  func(t TB) { Delete(t, srv, &ConfigMap{ObjectMeta: named("", "b")}) },
		"apitest: update: ConfigMap default/a: the resourceVersion " + stale.ResourceVersion + " is not the current one, ": func(t TB) { Update(t, srv, stale) },
		"apitest: create: the ConfigMap has no name":                                                                       func(t TB) { Create(t, srv, &ConfigMap{}) },
		"apitest: create: no resource of kind Unknown is served (for a *apitest.Unknown)":                                  func(t TB) { Create(t, srv, &Unknown{ObjectMeta: named("", "a")}) },
		"apitest: create: the *struct { v1.ObjectMeta \"json:\\\"metadata\\\"\" } has no kind, and its type has no name":   func(t TB) { Create(t, srv, &nameless{named("", "a")}) },
		"apitest: create: the kind Event is served in events.k8s.io/v1 and v1: set the apiVersion of the *apitest.Event":   func(t TB) { Create(t, srv, &Event{ObjectMeta: named("", "a")}) },
		"apitest: create: the JSON of the *apitest.Secret does not contain the name \"a\" in its metadata":                 func(t TB) { Create(t, srv, &Secret{named("", "a")}) },
		"apitest: create: *apitest.ConfigMap: the object must be a non-nil pointer":                                        func(t TB) { Create(t, srv, (*ConfigMap)(nil)) },
		"apitest: create: Namespace x/y: namespaces are not namespaced":                                                    func(t TB) { Create(t, srv, unstructuredOf("v1", "Namespace", "x", "y")) },
		"apitest: seed 3 objects, number 1: ConfigMap default/s: already exists": func(t TB) {
			Seed(t, srv, 3, func(int) *ConfigMap { return &ConfigMap{ObjectMeta: named("", "s")} })
		},
	} {
		var seen failure
		do(&seen)
		require.True(t, strings.HasPrefix(seen.line, want), "want %s\n got %s", want, seen.line)
		require.NotContains(t, seen.line, "\n")
		require.Panics(t, func() { do(nil) })
	}
}

// An object given as a struct is stored as the same text as one given as a
// tree, so an update over HTTP without changes is recognized.
func TestInputObjectsAreCanonical(t *testing.T) {
	srv := inMemory(t)
	type Pod struct {
		metav1.ObjectMeta `json:"metadata"`
		Zeta              string         `json:"zeta"`
		Alpha             map[string]any `json:"alpha"`
		Null              *int           `json:"null"`
		List              []any          `json:"list"`
		Empty             struct{}       `json:"empty"`
	}
	h, err := srv.readInput(&Pod{ObjectMeta: named("x", "a<b"), Zeta: "\"é\u2028", Alpha: map[string]any{"b": 1.5, "a": []any{}, "n": nil}, List: []any{map[string]any{"z": true, "a": "x"}, nil, 3}})
	require.NoError(t, err)
	h.setIdentity(srv)
	d, err := h.draft()
	require.NoError(t, err)
	tree, err := objects.Decode(d.At(7))
	require.NoError(t, err)
	require.NotContains(t, tree.Object, "null")
	require.Equal(t, []any{map[string]any{"a": "x", "z": true}, nil, int64(3)}, tree.Object["list"])
	again, err := objects.Encode(tree)
	require.NoError(t, err)
	require.Equal(t, string(again.At(7)), string(d.At(7)))
}

// Custom resources are found by their definition, which Go code can also
// create.
func TestCreateCustomResourceDefinition(t *testing.T) {
	srv := inMemory(t)
	definition := unstructuredOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.example.com")
	definition.Object["spec"] = map[string]any{
		"group": "example.com", "scope": "Namespaced",
		"names": map[string]any{"plural": "widgets", "kind": "Widget"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		}}},
	}
	Create(t, srv, definition)
	type Widget struct {
		metav1.ObjectMeta `json:"metadata"`
		Size              int `json:"size"`
	}
	w := Create(t, srv, &Widget{ObjectMeta: named("", "w"), Size: 3})
	require.Equal(t, 3, w.Size)
	_, body, err := get(t, srv, srv.testClient(t), "/apis/example.com/v1/namespaces/default/widgets/w")
	require.NoError(t, err)
	require.Contains(t, body, `"size":3`)

	var seen failure
	definition.SetName("gadgets.example.com")
	Create(&seen, srv, definition)
	require.Contains(t, seen.line, "must be spec.names.plural", "an invalid definition is rejected")
}

// Wait sees each state, without polling, and its failure contains the last one.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true})
		defer srv.Close()
		like := &ConfigMap{ObjectMeta: named("default", "a")}
		go func() {
			time.Sleep(time.Second)
			Create(t, srv, like)
			time.Sleep(time.Second)
			for _, x := range []string{"1", "2", "3"} {
				Modify(t, srv, like, func(c *ConfigMap) { c.Data = map[string]string{"x": x} })
			}
			time.Sleep(time.Second)
			Delete(t, srv, like)
		}()
		begin := time.Now()
		found := Wait(t, srv, like, func(c *ConfigMap) bool { return c.Data["x"] == "2" })
		require.Equal(t, "2", found.Data["x"], "an intermediate state is seen")
		require.Equal(t, 2*time.Second, time.Since(begin))
		WaitDeleted(t, srv, like)
		require.Equal(t, 3*time.Second, time.Since(begin))

		begin = time.Now()
		var seen failure
		Wait(&seen, srv, like, func(*ConfigMap) bool { return true })
		require.Equal(t, "apitest: wait: ConfigMap default/a: condition not met within 10s: the object does not exist", seen.line)
		require.Equal(t, 10*time.Second, time.Since(begin))
		Create(t, srv, like)
		WaitDeleted(&seen, srv, like)
		require.Contains(t, seen.line, `apitest: wait for the deletion: ConfigMap default/a: condition not met within 10s: the object is {"apiVersion":"v1"`)
	})
}

// After compactions and a rewind, Wait continues with the current state. When
// the server is closed, it fails with that reason.
func TestWaitAcrossCompactionRewindAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true})
		defer srv.Close()
		like := &ConfigMap{ObjectMeta: named("default", "a")}
		go func() {
			time.Sleep(time.Second)
			Create(t, srv, like)
			Create(t, srv, &ConfigMap{ObjectMeta: named("default", "b")})
			srv.RestartFromBackup(1)
			srv.Compact()
			time.Sleep(time.Second)
			Modify(t, srv, like, func(c *ConfigMap) { c.Data = map[string]string{"x": "1"} })
		}()
		Wait(t, srv, like, func(c *ConfigMap) bool { return c.Data["x"] == "1" })

		time.AfterFunc(time.Second, srv.Close)
		var seen failure
		WaitDeleted(&seen, srv, like)
		require.Contains(t, seen.line, "the server is closed")
	})
}

// Wait ends when its resource is removed.
func TestWaitEndsWithItsResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, Resources: []Resource{{ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}, Kind: "Thing"}}}})
		defer srv.Close()
		like := Create(t, srv, unstructuredOf("example.com/v1", "Thing", "", "a"))
		time.AfterFunc(time.Second, func() {
			srv.registry.Change(func(served map[schema.GroupVersionResource]*registry.Resource) {
				delete(served, schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"})
			})
			srv.store.Drop(schema.GroupResource{Group: "example.com", Resource: "things"})
		})
		WaitDeleted(t, srv, like)
	})
}

// 50,000 objects are seeded in under a second.
func BenchmarkSeed50k(b *testing.B) {
	for b.Loop() {
		srv := NewServer(Options{InMemory: true})
		Seed(b, srv, 50_000, func(i int) *ConfigMap {
			return &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns-", i%50), Name: fmt.Sprint("object-", i), Labels: map[string]string{"app": "web"}}, Data: map[string]string{"key": "value"}}
		})
		srv.Close()
	}
}
