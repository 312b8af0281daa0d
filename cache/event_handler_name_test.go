package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type namedRecorder struct{ recorder }

// adapted is a handler that another package has wrapped.
type adapted struct{ ResourceEventHandler }

func (a adapted) NamedAs() ResourceEventHandler { return a.ResourceEventHandler }

// The name of a handler is its function or its type.
func TestHandlerNames(t *testing.T) {
	for want, h := range map[string]ResourceEventHandler{
		"cache.TestHandlerNames.func1":            ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {}},
		"cache.TestHandlerNames.func2":            &ResourceEventHandlerDetailedFuncs{AddFunc: func(any, bool) {}},
		"cache.TestHandlerNames.func3":            FilteringResourceEventHandler{Handler: &ResourceEventHandlerFuncs{AddFunc: func(any) {}}},
		"cache.TestHandlerNames.func4":            &typedHandler[partial]{TypedResourceEventHandlerFuncs[partial]{AddFunc: func(partial) {}}},
		"*cache.recorder":                         &FilteringResourceEventHandler{Handler: &recorder{}},
		"*cache.typedRecorder":                    &typedHandler[partial]{&typedRecorder{}},
		"*cache.namedRecorder":                    adapted{&namedRecorder{}},
		"cache.ResourceEventHandlerDetailedFuncs": ResourceEventHandlerDetailedFuncs{},
	} {
		require.Contains(t, nameForHandler(h), want)
	}
}
