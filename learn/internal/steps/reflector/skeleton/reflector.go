// Package reflector keeps a store up to date.
package reflector

import (
	"context"
	"errors"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewReflector returns a Reflector that keeps store equal to source. It reads the whole
// state, as a list or as a streamed list, and passes it to the store when it is complete.
// Then options.Follow follows the changes, and when that returns, all begins again.
func NewReflector(source stack.ListerWatcher, store stack.Store, options stack.ReflectorOptions) stack.Reflector {
	return &reflector{source, store, options}
}

type reflector struct {
	source  stack.ListerWatcher
	store   stack.Store
	options stack.ReflectorOptions
}

func (r *reflector) Run(ctx context.Context) error { return errors.New("not written yet") }

func (r *reflector) LastVersion() string { return "" }
