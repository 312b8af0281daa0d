package wire

import "k8s.io/apimachinery/pkg/types"

// Object identifies an object and its version. It has the methods of rest.Object.
type Object interface {
	GetNamespace() string
	GetName() string
	GetUID() types.UID
	GetResourceVersion() string
}
