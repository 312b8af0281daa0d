package informer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Promise: what cannot be called is found when it is registered, however deep
// it lies.
func TestWhatIsWrongWithAHandler(t *testing.T) {
	var nilPointer *ResourceEventHandlerFuncs[int]
	same := func(n int) int { return n }
	for name, h := range map[string]ResourceEventHandler[int]{
		"nil":                     nil,
		"a nil pointer":           nilPointer,
		"a filter of nil":         FilteringResourceEventHandler[int]{},
		"a filter of nil pointer": &FilteringResourceEventHandler[int]{Handler: nilPointer},
		"Changed of nil":          Changed[int, int](same, nil),
		"Changed without func":    Changed[int, int](nil, ResourceEventHandlerFuncs[int]{}),
		"a filter of Changed":     FilteringResourceEventHandler[int]{Handler: Changed[int, int](same, nilPointer)},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, wrongWithHandler(h), ErrNoHandler) })
	}
	for name, h := range map[string]ResourceEventHandler[int]{
		"funcs":               ResourceEventHandlerFuncs[int]{},
		"a pointer":           &ResourceEventHandlerFuncs[int]{},
		"a filter of Changed": FilteringResourceEventHandler[int]{Handler: Changed[int, int](same, ResourceEventHandlerFuncs[int]{})},
	} {
		t.Run("right: "+name, func(t *testing.T) { require.NoError(t, wrongWithHandler(h)) })
	}
}
