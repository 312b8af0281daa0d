package rest

import "reflect"

// identity is what makes two views show the same.
type identity struct {
	client    *Client
	info      ResourceInfo
	namespace string
	t         reflect.Type
	options   DecodeOptions
}

// Identity is a value that can be compared with ==, and is equal for two views
// that show the same: the same resource of the same Client, in the same
// namespace, as the same T, decoded with the same options. Whoever shares what
// is made of a view, as a factory shares informers, goes by it. That of a
// [Resource] is its View's.
func (v *View[T]) Identity() any {
	id := identity{client: v.client, info: v.info, namespace: v.namespace, t: reflect.TypeFor[T]()}
	if v.codec != nil {
		id.options = v.codec.options
	}
	return id
}
