package stack

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ConfigMap is the kind of all objects in the course.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Data              map[string]string `json:"data,omitempty"`
}

// Object is the type of the objects in all parts. An object is not modified once it has
// been passed on.
type Object = *ConfigMap

// Key returns the key of an object: its namespace and its name, "shop/api".
func Key(object Object) string { return object.Namespace + "/" + object.Name }
