package informer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// A sharingKey identifies the objects of an informer. Requests with equal keys
// share one informer.
type sharingKey struct {
	objects reflect.Type
	source  any
	// options are the list options after the tweaks.
	options string
}

// tweakedListOptions returns the list options after tweak, so that they can be
// compared.
func tweakedListOptions(tweak func(*metav1.ListOptions)) (options metav1.ListOptions) {
	if tweak != nil {
		tweak(&options)
	}
	return options
}

func keyOf[T rest.Object](source Source[T], options metav1.ListOptions) (key sharingKey, shareable bool) {
	identity, ok := identityOf(source)
	text, err := json.Marshal(options)
	if !ok || err != nil {
		return sharingKey{}, false
	}
	return sharingKey{reflect.TypeFor[T](), identity, string(text)}, true
}

// compatible returns an error if a request with the options asked cannot share the
// informer with the options given: both must select the same objects, and all other
// options that asked sets must be equal. Zero values match everything.
func compatible[T any](given, asked *Options[T]) error {
	g, a := reflect.ValueOf(given).Elem(), reflect.ValueOf(asked).Elem()
	for i := range g.NumField() {
		switch name := g.Type().Field(i).Name; name {
		case "TweakListOptions": // compared by its result
		case "Transform", "Filter":
			if !sameFunc(g.Field(i), a.Field(i)) {
				return fmt.Errorf("%w: %s is a different function", ErrOptionsConflict, name)
			}
		default:
			if !a.Field(i).IsZero() && !sameOption(g.Field(i), a.Field(i)) {
				return fmt.Errorf("%w: %s differs", ErrOptionsConflict, name)
			}
		}
	}
	return nil
}

func sameOption(a, b reflect.Value) bool {
	if a.Kind() == reflect.Func {
		return sameFunc(a, b)
	}
	return a.Interface() == b.Interface()
}

// sameFunc reports whether two fields hold the same function with the same captured
// variables. It compares the closure pointers; closures share the address of their
// code.
func sameFunc(a, b reflect.Value) bool {
	return *(*unsafe.Pointer)(a.Addr().UnsafePointer()) == *(*unsafe.Pointer)(b.Addr().UnsafePointer())
}
