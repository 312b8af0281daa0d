// The work is done by this file.

package cache

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/thinformer/thinformer/internal/handlername"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// nameForHandler returns the name of a handler in logs and in State: its type
// or, if it is made of functions, the name of the first function.
func nameForHandler(h ResourceEventHandler) string {
	switch h := h.(type) {
	case ResourceEventHandlerFuncs:
		return nameForFunctions(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *ResourceEventHandlerFuncs:
		return nameForHandler(*h)
	case ResourceEventHandlerDetailedFuncs:
		return nameForFunctions(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *ResourceEventHandlerDetailedFuncs:
		return nameForHandler(*h)
	case FilteringResourceEventHandler:
		return nameForHandler(h.Handler)
	case *FilteringResourceEventHandler:
		return nameForHandler(h.Handler)
	case interface{ nameForHandler() string }:
		return h.nameForHandler()
	case handlername.Wrapper[ResourceEventHandler]: // of package interop
		return nameForHandler(h.NamedAs())
	}
	return fmt.Sprintf("%T", h)
}

func (h *typedHandler[T]) nameForHandler() string {
	switch h := h.handler.(type) {
	case TypedResourceEventHandlerFuncs[T]:
		return nameForFunctions(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case TypedResourceEventHandlerDetailedFuncs[T]:
		return nameForFunctions(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	}
	return fmt.Sprintf("%T", h.handler)
}

func nameForFunctions(h any, functions ...any) string {
	for _, f := range functions {
		if !nilcheck.IsNil(f) {
			return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		}
	}
	return fmt.Sprintf("%T", h)
}
