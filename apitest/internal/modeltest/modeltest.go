package modeltest

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// ConfigMap returns a draft of a config map with one value.
func ConfigMap(t testing.TB, namespace, name, value string, labels map[string]string) objects.Draft {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"value": value}}}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	obj.SetLabels(labels)
	draft, err := objects.Encode(obj)
	require.NoError(t, err)
	return draft
}

var (
	seed  = flag.Uint64("model.seed", 0, "run the model tests with this seed only")
	seeds = flag.Uint64("model.seeds", 0, "how many seeds the model tests run; 0: the default of the test")
)

// EachSeed runs a model test for each seed. A failure prints the command that
// repeats it. path is the package of the test, relative to the module.
func EachSeed(t *testing.T, path string, defaultSeeds uint64, run func(t *testing.T, seed uint64)) {
	first, last := uint64(1), defaultSeeds
	switch {
	case *seed != 0:
		first, last = *seed, *seed
	case *seeds != 0:
		last = *seeds
	}
	for seed := first; seed <= last; seed++ {
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./%s -run '^%s$' -model.seed=%d", path, t.Name(), seed)
				}
			}()
			run(t, seed)
		}()
	}
}
