package factory

import (
	"reflect"

	clientcache "k8s.io/client-go/tools/cache"
)

// isClientGos reports whether an informer is one of client-go's own, also inside structs
// that embed it, such as client-go's typed informers.
func isClientGos(informer clientcache.SharedIndexInformer) bool {
	for {
		value := reflect.ValueOf(informer)
		for value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.Kind() != reflect.Struct {
			return false
		}
		inner := embedded(value)
		if inner == nil {
			return value.Type().PkgPath() == reflect.TypeFor[clientcache.SharedIndexInformer]().PkgPath()
		}
		informer = inner
	}
}

// embedded returns the informer that a struct embeds, or nil.
func embedded(value reflect.Value) clientcache.SharedIndexInformer {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if field.Type == reflect.TypeFor[clientcache.SharedIndexInformer]() && field.Anonymous {
			inner, _ := value.Field(i).Interface().(clientcache.SharedIndexInformer)
			return inner
		}
	}
	return nil
}
