package factory

import (
	"reflect"

	clientcache "k8s.io/client-go/tools/cache"
)

// isClientGos reports whether an informer is one of client-go's own, also inside structs
// that embed it, such as client-go's typed informers.
func isClientGos(informer clientcache.SharedIndexInformer) bool {
	value := reflect.ValueOf(informer)
	for {
		for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
			value = value.Elem()
		}
		if value.Kind() != reflect.Struct {
			return false
		}
		inner, embeds := embedded(value)
		if !embeds {
			return value.Type().PkgPath() == reflect.TypeFor[clientcache.SharedIndexInformer]().PkgPath()
		}
		value = inner
	}
}

// embedded returns the informer that a struct embeds, if there is one. The field may be
// unexported, so the result is only for reading its type.
func embedded(value reflect.Value) (inner reflect.Value, found bool) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if field.Anonymous && field.Type.Implements(reflect.TypeFor[clientcache.SharedIndexInformer]()) {
			return value.Field(i), true
		}
	}
	return reflect.Value{}, false
}
