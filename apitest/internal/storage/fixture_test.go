package storage

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

var benchTable = schema.GroupResource{Resource: "pods"}

// newDraft returns a draft of a config map.
func newDraft(t testing.TB, k Key, value string, labels map[string]string) objects.Draft {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"value": value}}}
	obj.SetNamespace(k.Namespace)
	obj.SetName(k.Name)
	obj.SetLabels(labels)
	encoded, err := objects.Encode(obj)
	require.NoError(t, err)
	return encoded
}

// putValue stores an object, in place of any existing one.
func putValue(t testing.TB, table *Table, k Key, value string, labels map[string]string) *Record {
	t.Helper()
	for {
		now, err := table.Commit(k, table.Get(k), newDraft(t, k, value, labels))
		if err == ErrConflict {
			continue
		}
		require.NoError(t, err)
		return now
	}
}

var (
	onlySeed = flag.Uint64("model.seed", 0, "run the model tests with this seed only")
	seeds    = flag.Int("model.seeds", 100, "how many seeds the model tests run")
)

// forEachSeed runs a model test for each seed. A failure prints how to repeat it.
func forEachSeed(t *testing.T, run func(t *testing.T, seed uint64)) {
	first, last := uint64(1), uint64(*seeds)
	if *onlySeed != 0 {
		first, last = *onlySeed, *onlySeed
	}
	for seed := first; seed <= last; seed++ {
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./apitest/internal/storage -run '^%s$' -model.seed=%d", t.Name(), seed)
				}
			}()
			run(t, seed)
		}()
	}
}
