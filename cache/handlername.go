package cache

import (
	"fmt"
	"reflect"
	"runtime"
)

// nameOfHandler is what logs and State call a handler: where its code is. A
// handler that is made of functions has the name of the first.
func nameOfHandler(h ResourceEventHandler) string {
	switch h := h.(type) {
	case ResourceEventHandlerFuncs:
		return nameOfFuncs(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *ResourceEventHandlerFuncs:
		return nameOfHandler(*h)
	case ResourceEventHandlerDetailedFuncs:
		return nameOfFuncs(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *ResourceEventHandlerDetailedFuncs:
		return nameOfHandler(*h)
	case FilteringResourceEventHandler:
		return nameOfHandler(h.Handler)
	case *FilteringResourceEventHandler:
		return nameOfHandler(h.Handler)
	case interface{ nameOfHandler() string }:
		return h.nameOfHandler()
	}
	return fmt.Sprintf("%T", h)
}

func (h *typedHandler[T]) nameOfHandler() string {
	switch h := h.handler.(type) {
	case TypedResourceEventHandlerFuncs[T]:
		return nameOfFuncs(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case TypedResourceEventHandlerDetailedFuncs[T]:
		return nameOfFuncs(h, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	}
	return fmt.Sprintf("%T", h.handler)
}

func nameOfFuncs(h any, functions ...any) string {
	for _, f := range functions {
		if v := reflect.ValueOf(f); !v.IsNil() {
			return runtime.FuncForPC(v.Pointer()).Name()
		}
	}
	return fmt.Sprintf("%T", h)
}
