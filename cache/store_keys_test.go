package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The keys are those of client-go, also for objects with an empty name.
func TestKeysOfObjects(t *testing.T) {
	var nilThing *thing
	for name, c := range map[string]struct {
		obj     any
		key     string // of MetaNamespaceKeyFunc
		deleted string // of DeletionHandlingMetaNamespaceKeyFunc
		name    ObjectName
		fails   string
	}{
		"namespaced":            {obj: newThing("x", "a", "", ""), key: "x/a", deleted: "x/a", name: ObjectName{"x", "a"}},
		"cluster-scoped":        {obj: newThing("", "a", "", ""), key: "a", deleted: "a", name: ObjectName{"", "a"}},
		"no name":               {obj: newThing("x", "", "", ""), key: "x/", deleted: "x/", name: ObjectName{"x", ""}},
		"no name and namespace": {obj: &thing{}},
		"accessor":              {obj: accessor{newThing("x", "a", "", "")}, key: "x/a", deleted: "x/a", name: ObjectName{"x", "a"}},
		"nil":                   {obj: nil, fails: "object has no meta: it is nil"},
		"nil pointer":           {obj: nilThing, fails: "object has no meta: it is a nil *cache.thing"},
		"nil accessor":          {obj: accessor{nilThing}, fails: "object has no meta: cache.accessor does not implement"},
		"string":                {obj: "x/a", fails: "object has no meta: string does not implement the Object interfaces"},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := MetaNamespaceKeyFunc(c.obj)
			deleted, err2 := DeletionHandlingMetaNamespaceKeyFunc(c.obj)
			name, err3 := ObjectToName(c.obj)
			deletedName, err4 := DeletionHandlingObjectToName(c.obj)
			for _, err := range []error{err, err2, err3, err4} {
				if c.fails == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.fails)
				}
			}
			require.Equal(t, c.key, key)
			require.Equal(t, c.deleted, deleted)
			require.Equal(t, c.name, name)
			require.Equal(t, c.name, deletedName)
			if object, ok := c.obj.(metav1.Object); ok && c.fails == "" {
				require.Equal(t, c.name, MetaObjectToName(object))
			}
		})
	}
}

type accessor struct{ thing *thing }

func (a accessor) GetObjectMeta() metav1.Object { return a.thing }

// An ExplicitKey has a key. A tombstone has one in the functions for deleted
// objects.
func TestKeysOfExplicitKeysAndTombstones(t *testing.T) {
	key, err := MetaNamespaceKeyFunc(ExplicitKey("a/b/c"))
	require.NoError(t, err)
	require.Equal(t, "a/b/c", key)
	tombstone := DeletedFinalStateUnknown{Key: "x/a"}
	_, err = MetaNamespaceKeyFunc(tombstone)
	require.Error(t, err)
	_, err = ObjectToName(tombstone)
	require.Error(t, err)
	for _, obj := range []any{tombstone, ExplicitKey("x/a")} {
		key, err = DeletionHandlingMetaNamespaceKeyFunc(obj)
		require.NoError(t, err)
		require.Equal(t, "x/a", key)
	}
	name, err := DeletionHandlingObjectToName(tombstone)
	require.NoError(t, err)
	require.Equal(t, NewObjectName("x", "a"), name)
	_, err = DeletionHandlingObjectToName(DeletedFinalStateUnknown{Key: "a/b/c"})
	require.Error(t, err)
}

// SplitMetaNamespaceKey is the inverse of MetaNamespaceKeyFunc. It accepts
// every key with at most one "/", as client-go does.
func TestSplitMetaNamespaceKey(t *testing.T) {
	for key, c := range map[string]struct {
		name  ObjectName
		fails bool
	}{
		"x/a":   {name: ObjectName{"x", "a"}},
		"a":     {name: ObjectName{"", "a"}},
		"":      {},
		"/":     {},
		"/a":    {name: ObjectName{"", "a"}},
		"x/":    {name: ObjectName{"x", ""}},
		"x/a/b": {fails: true},
		"//":    {fails: true},
	} {
		namespace, name, err := SplitMetaNamespaceKey(key)
		parsed, err2 := ParseObjectName(key)
		require.Equal(t, c.fails, err != nil, key)
		require.Equal(t, c.fails, err2 != nil, key)
		require.Equal(t, c.name, NewObjectName(namespace, name), key)
		require.Equal(t, c.name, parsed, key)
	}
	_, _, err := SplitMetaNamespaceKey("x/a/b")
	require.EqualError(t, err, `unexpected key format: "x/a/b"`)
}

// The conversions of an ObjectName are inverse to each other.
func TestObjectName(t *testing.T) {
	for key, name := range map[string]ObjectName{"x/a": {"x", "a"}, "a": {"", "a"}, "": {}} {
		require.Equal(t, key, name.String())
		require.Equal(t, name, NewObjectName(name.Parts()))
		require.Equal(t, types.NamespacedName{Namespace: name.Namespace, Name: name.Name}, name.AsNamespacedName())
		require.Equal(t, name, NamespacedNameAsObjectName(name.AsNamespacedName()))
	}
}

// FuzzSplit checks that a key that can be split is the key of its parts,
// except for a leading "/".
func FuzzSplit(f *testing.F) {
	for _, key := range []string{"x/a", "a", "", "/a", "x/", "a/b/c"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name, err := ParseObjectName(key)
		if err != nil {
			require.Zero(t, name)
			return
		}
		again, err := ParseObjectName(name.String())
		require.NoError(t, err)
		require.Equal(t, name, again)
		if name.Namespace != "" {
			require.Equal(t, key, name.String())
		}
	})
}
