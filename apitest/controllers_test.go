package apitest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// With Options.Controllers, the controllers of a cluster act at once, also in
// fake time.
func TestControllersCollectGarbage(t *testing.T) {
	const collection = inDefault + "configmaps"
	// own creates an owner and a dependent, and returns what remains after the
	// deletion of the owner.
	own := func(t *testing.T, s *Server, policy string) (owner, dependent int) {
		code, made := exchange(t, s, "POST "+collection, `{"metadata":{"name":"owner"}}`)
		require.Equal(t, 201, code)
		code, _ = exchange(t, s, "POST "+collection, fmt.Sprintf(
			`{"metadata":{"name":"dependent","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q,"blockOwnerDeletion":true}]}}`, objects.At(made, "metadata.uid")))
		require.Equal(t, 201, code)
		synctest.Wait()
		code, _ = exchange(t, s, "DELETE "+collection+"/owner?propagationPolicy="+policy, "")
		require.Equal(t, 200, code)
		synctest.Wait()
		owner, _ = exchange(t, s, "GET "+collection+"/owner", "")
		dependent, _ = exchange(t, s, "GET "+collection+"/dependent", "")
		return owner, dependent
	}
	for _, c := range []struct {
		policy           string
		controllers      bool
		owner, dependent int
	}{
		{"Background", true, 404, 404}, {"Foreground", true, 404, 404}, {"Orphan", true, 404, 200},
		{"Background", false, 404, 200}, {"Foreground", false, 200, 200}, {"Orphan", false, 200, 200},
	} {
		t.Run(fmt.Sprint(c.policy, c.controllers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewServer(Options{InMemory: true, Controllers: c.controllers})
				defer s.Close()
				owner, dependent := own(t, s, c.policy)
				require.Equal(t, c.owner, owner, "the owner")
				require.Equal(t, c.dependent, dependent, "the dependent")
				if c.dependent == 200 && c.controllers {
					_, left := exchange(t, s, "GET "+collection+"/dependent", "")
					require.Equal(t, "-", asText(objects.At(left, "metadata.ownerReferences")))
				}
			})
		})
	}
}

func TestControllersFinalizeNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(Options{InMemory: true, Controllers: true})
		defer s.Close()
		runSteps(t, s, []step{
			{"POST /api/v1/namespaces", `{"metadata":{"name":"n"}}`, 201, nil},
			{"POST /api/v1/namespaces/n/configmaps", `{"metadata":{"name":"a"}}`, 201, nil},
			{"POST /api/v1/namespaces/n/secrets", `{"metadata":{"name":"b","finalizers":["example.com/x"]}}`, 201, nil},
			{"DELETE /api/v1/namespaces/n", "", 200, nil},
		})
		synctest.Wait()
		runSteps(t, s, []step{
			{"GET /api/v1/namespaces/n/configmaps/a", "", 404, nil},
			{"GET /api/v1/namespaces/n", "", 200, map[string]string{"status.phase": "Terminating"}}, // the secret has a finalizer
			{"PUT /api/v1/namespaces/n/secrets/b", `{"metadata":{"name":"b"}}`, 200, nil},
		})
		synctest.Wait()
		runSteps(t, s, []step{{"GET /api/v1/namespaces/n", "", 404, nil}})
	})
}

// observed returns an object in the form in which the collector observes it.
func observed(s *Server, res *registry.Resource, name string) (*collector, *trackedObject) {
	g := &collector{server: s, byUID: map[string]*trackedObject{}, knownKinds: map[schema.GroupVersionKind]bool{configMapKind: true}}
	g.add(res, res.Table.Get(storage.Key{Namespace: "default", Name: name}))
	return g, g.all[0]
}

var configMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// The collector deletes only the object that it has observed, not a replacement
// and not a changed object.
func TestCollectorDeletesOnlyObservedObjects(t *testing.T) {
	const orphan = `{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"gone"}]}}`
	for name, meanwhile := range map[string][]step{
		"nothing happens":         nil,
		"replaced by another":     {{"DELETE " + inDefault + "configmaps/a", "", 200, nil}, {"POST " + inDefault + "configmaps", `{"metadata":{"name":"a"}}`, 201, nil}},
		"owner reference removed": {{"PUT " + inDefault + "configmaps/a", `{"metadata":{"name":"a"}}`, 200, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			s := plainServer(t)
			runSteps(t, s, []step{{"POST " + inDefault + "configmaps", orphan, 201, nil}})
			g, a := observed(s, s.registry.Find(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}), "a")
			runSteps(t, s, meanwhile)
			g.collectOwned(a)
			code, _ := exchange(t, s, "GET "+inDefault+"configmaps/a", "")
			require.Equal(t, meanwhile == nil, code == 404)
		})
	}
}

// A dependent is not deleted while the kind of its owner has never been served.
func TestCollectorKeepsDependentsOfUnknownKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(Options{InMemory: true, Controllers: true})
		defer s.Close()
		runSteps(t, s, []step{
			{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Foo","name":"f","uid":"f"}]}}`, 201, nil},
			{"POST " + inDefault + "configmaps", `{"metadata":{"name":"b","ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"f","uid":"f"}]}}`, 201, nil},
		})
		synctest.Wait()
		runSteps(t, s, []step{
			{"GET " + inDefault + "configmaps/a", "", 200, nil},
			{"GET " + inDefault + "configmaps/b", "", 404, nil},
		})
	})
}

// A dependent that is created right after its owner is not collected, however
// busy the collector is.
func TestCollectorSeesOneVersion(t *testing.T) {
	s := NewServer(Options{InMemory: true, Controllers: true})
	defer s.Close()
	const pairs = 100
	for i := range pairs {
		_, owner := exchange(t, s, "POST "+inDefault+"configmaps", fmt.Sprintf(`{"metadata":{"name":"owner-%d"}}`, i))
		code, _ := exchange(t, s, "POST "+inDefault+"secrets", fmt.Sprintf(
			`{"metadata":{"name":"dependent-%d","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner-%d","uid":%q}]}}`, i, i, objects.At(owner, "metadata.uid")))
		require.Equal(t, 201, code)
	}
	_, left := exchange(t, s, "GET "+inDefault+"secrets", "")
	items, _ := left["items"].([]any)
	require.Equal(t, pairs, len(items))
}
