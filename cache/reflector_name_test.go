package cache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/cache"
)

// The default name of a Reflector is the line that created it.
func TestReflectorDefaultNameIsCaller(t *testing.T) {
	_, made := cache.NewNamespaceKeyedIndexerAndReflector(nil, nil, 0)
	for _, r := range []*cache.Reflector{made, cache.NewReflector(nil, nil, nil, 0), func() *cache.Reflector { return cache.NewReflectorWithOptions(nil, nil, nil, cache.ReflectorOptions{}) }()} {
		file, line, found := strings.Cut(r.Name(), ":")
		require.True(t, found && line != "", r.Name())
		require.Equal(t, "github.com/thinformer/thinformer/cache_test/reflector_name_test.go", file)
	}
}
