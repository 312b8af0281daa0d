package informer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A nil handler is an error, also if another handler wraps it.
func TestNilHandlerIsAnError(t *testing.T) {
	var nilPointer *ResourceEventHandlerFuncs[int]
	same := func(n int) int { return n }
	for name, h := range map[string]ResourceEventHandler[int]{
		"nil":                   nil,
		"nil pointer":           nilPointer,
		"filter of nil":         FilteringResourceEventHandler[int]{},
		"filter of nil pointer": &FilteringResourceEventHandler[int]{Handler: nilPointer},
		"Changed of nil":        Changed[int, int](same, nil),
		"Changed without func":  Changed[int, int](nil, ResourceEventHandlerFuncs[int]{}),
		"filter of Changed":     FilteringResourceEventHandler[int]{Handler: Changed[int, int](same, nilPointer)},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, checkHandler(h), ErrNoHandler) })
	}
	for name, h := range map[string]ResourceEventHandler[int]{
		"funcs":             ResourceEventHandlerFuncs[int]{},
		"pointer":           &ResourceEventHandlerFuncs[int]{},
		"filter of Changed": FilteringResourceEventHandler[int]{Handler: Changed[int, int](same, ResourceEventHandlerFuncs[int]{})},
	} {
		t.Run("valid/"+name, func(t *testing.T) { require.NoError(t, checkHandler(h)) })
	}
}
