package informers

import (
	"encoding/base64"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// kind is a resource that the test writes.
type kind struct {
	rest.ResourceInfo
	// fields returns the fields beside the metadata, for a new object or a merge patch, with
	// another content for each number.
	fields func(serial int) map[string]any
}

func kindOf(group, resource, name string, fields func(int) map[string]any) *kind {
	info := rest.ResourceInfo{Kind: name, Namespaced: true}
	info.GroupVersionResource = schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}
	return &kind{info, fields}
}

// namespace is the namespace of all objects.
const namespace = "churn"

// filler makes objects so large that a connection can break within one.
var filler = strings.Repeat("all work and no play ", 60)

// An API server without controllers stores these objects unchanged, and no other client
// writes them.
var (
	configMaps = kindOf("", "configmaps", "ConfigMap", func(serial int) map[string]any {
		return map[string]any{"data": map[string]any{"serial": fmt.Sprint(serial), "filler": filler[:serial*97%len(filler)]}}
	})
	secrets = kindOf("", "secrets", "Secret", func(serial int) map[string]any {
		return map[string]any{"data": map[string]any{"serial": base64.StdEncoding.EncodeToString(fmt.Append(nil, serial))}}
	})
	services = kindOf("", "services", "Service", func(serial int) map[string]any {
		port := map[string]any{"port": 1 + serial%65535, "name": "it"}
		return map[string]any{"spec": map[string]any{"clusterIP": "None", "ports": []any{port}}}
	})
	deployments = kindOf("apps", "deployments", "Deployment", func(serial int) map[string]any {
		labels := map[string]any{"app": "it"}
		container := map[string]any{"name": "it", "image": fmt.Sprintf("example.com/it:%d", serial)}
		return map[string]any{"spec": map[string]any{
			"replicas": serial % 7,
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{container}},
			},
		}}
	})
	widgets = kindOf("example.com", "widgets", "Widget", func(serial int) map[string]any {
		return map[string]any{"spec": map[string]any{"size": serial, "text": filler[:serial*89%len(filler)]}}
	})
	// events are not part of the churn. kube-apiserver has no watch cache of them, so that
	// a version that etcd has discarded is not available.
	events = kindOf("", "events", "Event", func(serial int) map[string]any {
		return map[string]any{
			"involvedObject": map[string]any{"kind": "Namespace", "namespace": namespace, "name": namespace},
			"message":        fmt.Sprint(serial),
		}
	})
	churned = []*kind{configMaps, secrets, services, deployments, widgets}
)

// widget is a custom resource as a user declares it.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size int    `json:"size"`
		Text string `json:"text"`
	} `json:"spec"`
}

// slimConfigMap has one field of a config map.
type slimConfigMap struct {
	rest.SlimMeta `json:"metadata"`
	Data          struct {
		Serial string `json:"serial"`
	} `json:"data"`
}

const widgetsDefinition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
	"metadata": {"name": "widgets.example.com"},
	"spec": {"group": "example.com", "scope": "Namespaced",
		"names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
		"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
			"properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}, "text": {"type": "string"}}}}}}}]}}`
