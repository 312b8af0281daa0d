package cache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/cache"
)

// A Reflector without a name is called after the line that made it.
func TestReflectorIsNamedAfterItsMaker(t *testing.T) {
	_, made := cache.NewNamespaceKeyedIndexerAndReflector(nil, nil, 0)
	for _, r := range []*cache.Reflector{made, cache.NewReflector(nil, nil, nil, 0), func() *cache.Reflector { return cache.NewReflectorWithOptions(nil, nil, nil, cache.ReflectorOptions{}) }()} {
		file, line, found := strings.Cut(r.Name(), ":")
		require.True(t, found && line != "", r.Name())
		require.Equal(t, "github.com/thinformer/thinformer/cache_test/reflectorname_test.go", file)
	}
}
