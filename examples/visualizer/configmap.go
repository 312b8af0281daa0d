package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// ConfigMap has the fields that the program needs.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

// The labels of the objects. Sources are created by the controls, copies by the
// controller.
const (
	appLabel    = "app"
	sourceValue = "visualizer"
	copyValue   = "visualizer-copy"
	colorLabel  = "color"
	copySuffix  = "-copy"
)

var colors = []string{"red", "green", "blue", "yellow"}

func isSource(object *ConfigMap) bool { return object.Labels[appLabel] == sourceValue }

func isCopy(object *ConfigMap) bool { return object.Labels[appLabel] == copyValue }
