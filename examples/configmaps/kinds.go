package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// ConfigDeployment is the custom resource of crd.yaml: a Deployment whose pods use a
// ConfigMap, and are replaced when it changes.
type ConfigDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              struct {
		ConfigMap string `json:"configMap"`
	} `json:"spec"`
}

// Deployment has the fields of a Deployment that the controller sets. Other fields are
// neither decoded nor changed.
type Deployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              DeploymentSpec `json:"spec"`
}

type DeploymentSpec struct {
	Selector metav1.LabelSelector `json:"selector"`
	Template struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Containers []Container `json:"containers"`
		} `json:"spec"`
	} `json:"template"`
}

type Container struct {
	Name    string       `json:"name"`
	Image   string       `json:"image"`
	EnvFrom []EnvFromMap `json:"envFrom"`
}

type EnvFromMap struct {
	ConfigMapRef struct {
		Name string `json:"name"`
	} `json:"configMapRef"`
}

// ConfigMapVersion has the name and the version of a ConfigMap, which is all that the
// controller needs. The rest is not decoded.
type ConfigMapVersion struct {
	rest.SlimMeta `json:"metadata"`
}

// ConfigMap is what the demonstration writes.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Data              map[string]string `json:"data"`
}

var (
	configDeploymentInfo = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "configdeployments"},
		Kind:                 "ConfigDeployment",
		Namespaced:           true,
	}
	deploymentInfo = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Kind:                 "Deployment",
		Namespaced:           true,
	}
	configMapInfo = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		Kind:                 "ConfigMap",
		Namespaced:           true,
	}
)

// versionAnnotation is the annotation of the pods with the version of their ConfigMap. A
// new version is a change of the template, which replaces the pods.
const versionAnnotation = "example.com/config-map-version"

// newDeployment returns the Deployment of a ConfigDeployment.
func newDeployment(config *ConfigDeployment, configMap *ConfigMapVersion) *Deployment {
	d := &Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: config.Namespace, Name: config.Name}}
	labels := map[string]string{"app": config.Name}
	d.Spec.Selector.MatchLabels = labels
	d.Spec.Template.Labels = labels
	d.Spec.Template.Annotations = map[string]string{versionAnnotation: configMap.ResourceVersion}
	web := Container{Name: "web", Image: "registry.k8s.io/pause:3.10", EnvFrom: make([]EnvFromMap, 1)}
	web.EnvFrom[0].ConfigMapRef.Name = configMap.Name
	d.Spec.Template.Spec.Containers = []Container{web}
	return d
}
