package cache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ObjectName names an object of a kind that goes without saying.
type ObjectName struct {
	Namespace string
	Name      string
}

// NewObjectName is an ObjectName of its parts.
func NewObjectName(namespace, name string) ObjectName {
	return ObjectName{Namespace: namespace, Name: name}
}

// Parts is the inverse of NewObjectName.
func (objName ObjectName) Parts() (namespace, name string) {
	return objName.Namespace, objName.Name
}

// String is the key that MetaNamespaceKeyFunc makes: without a namespace it is the
// name alone, where that of a types.NamespacedName begins with "/".
func (objName ObjectName) String() string {
	if objName.Namespace == "" {
		return objName.Name
	}
	return objName.Namespace + "/" + objName.Name
}

// AsNamespacedName is the same as apimachinery writes it.
func (objName ObjectName) AsNamespacedName() types.NamespacedName {
	return types.NamespacedName{Namespace: objName.Namespace, Name: objName.Name}
}

// NamespacedNameAsObjectName is the inverse of AsNamespacedName.
func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return ObjectName{Namespace: nn.Namespace, Name: nn.Name}
}

// ParseObjectName is the inverse of String, as SplitMetaNamespaceKey is.
func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return ObjectName{Namespace: namespace, Name: name}, err
}

// ObjectToName is the name of an object that has metadata.
func ObjectToName(obj any) (ObjectName, error) {
	named, err := metadataOf[namer](obj)
	if err != nil {
		return ObjectName{}, err
	}
	return ObjectName{Namespace: named.GetNamespace(), Name: named.GetName()}, nil
}

// MetaObjectToName is the name of an object.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// DeletionHandlingObjectToName is ObjectToName for what a handler's OnDelete is
// given: the name of a tombstone is in the key that it carries.
func DeletionHandlingObjectToName(obj any) (ObjectName, error) {
	if tombstone, ok := tombstoneOf(obj); ok {
		return ParseObjectName(tombstone.Key)
	}
	return ObjectToName(obj)
}
