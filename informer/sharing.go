package informer

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// A sharingKey says what an informer shows. Who asks for the same gets the same
// informer.
type sharingKey struct {
	objects reflect.Type
	source  any
	// options are the list options, as the tweaks make them.
	options string
}

// listOptions are what the tweaks make of nothing: how they can be compared.
func listOptions(tweak func(*metav1.ListOptions)) (options metav1.ListOptions) {
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

// nameOfShared tells apart what a factory may have of one resource, in the words
// of kubectl.
func nameOfShared[T rest.Object](source Source[T], namespace string, options metav1.ListOptions) string {
	var name strings.Builder
	name.WriteString(nameOf[T](source.ResourceInfo().GroupVersionResource))
	for _, part := range []struct{ flag, value string }{
		{"-n", namespace}, {"-l", options.LabelSelector}, {"--field-selector", options.FieldSelector},
	} {
		if part.value != "" {
			fmt.Fprintf(&name, " %s %s", part.flag, part.value)
		}
	}
	return name.String()
}

// compatible says whether somebody who asks for an informer with asked can have
// the one that was made with given: it must hold the objects that are expected,
// and what else is asked for must be as it is. Zero asks for nothing.
func compatible[T any](given, asked *Options[T]) error {
	g, a := reflect.ValueOf(given).Elem(), reflect.ValueOf(asked).Elem()
	for i := range g.NumField() {
		switch name := g.Type().Field(i).Name; name {
		case "Tweak": // told apart by what it does
		case "Transform", "Filter":
			if !sameFunc(g.Field(i), a.Field(i)) {
				return fmt.Errorf("%w: %s is another function", ErrOtherOptions, name)
			}
		default:
			if !a.Field(i).IsZero() && !sameOption(g.Field(i), a.Field(i)) {
				return fmt.Errorf("%w: %s differs", ErrOtherOptions, name)
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

// sameFunc says whether two fields hold the same function with the same captured
// variables: whether the pointers are equal that the language keeps there. The
// address of the code would not do, since closures share it.
func sameFunc(a, b reflect.Value) bool {
	return *(*unsafe.Pointer)(a.Addr().UnsafePointer()) == *(*unsafe.Pointer)(b.Addr().UnsafePointer())
}
