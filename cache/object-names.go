// The work is done by this file.

package cache

import "k8s.io/apimachinery/pkg/types"

// ObjectName identifies an object of a kind that is known from the context.
type ObjectName struct {
	Namespace string
	Name      string
}

// NewObjectName returns an ObjectName with the given parts.
func NewObjectName(namespace, name string) ObjectName {
	return ObjectName{Namespace: namespace, Name: name}
}

// Parts returns the namespace and the name.
func (objName ObjectName) Parts() (namespace, name string) {
	return objName.Namespace, objName.Name
}

// String returns the key, as MetaNamespaceKeyFunc does. Without a namespace it
// is the name alone, while that of a types.NamespacedName begins with "/".
func (objName ObjectName) String() string {
	if objName.Namespace == "" {
		return objName.Name
	}
	return objName.Namespace + "/" + objName.Name
}

// AsNamespacedName returns the name as a types.NamespacedName.
func (objName ObjectName) AsNamespacedName() types.NamespacedName {
	return types.NamespacedName{Namespace: objName.Namespace, Name: objName.Name}
}

// NamespacedNameAsObjectName returns nn as an ObjectName.
func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return ObjectName{Namespace: nn.Namespace, Name: nn.Name}
}

// ParseObjectName is the inverse of String. It parses a key as
// SplitMetaNamespaceKey does.
func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return ObjectName{Namespace: namespace, Name: name}, err
}
