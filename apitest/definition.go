package apitest

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// definition is what this server reads of a CustomResourceDefinition.
type definition struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     definitionSpec    `json:"spec"`
	Status   definitionStatus  `json:"status"`
}

type definitionSpec struct {
	Group      string              `json:"group"`
	Names      definitionNames     `json:"names"`
	Scope      string              `json:"scope"`
	Versions   []definitionVersion `json:"versions"`
	Conversion *struct {
		Strategy string         `json:"strategy"`
		Webhook  map[string]any `json:"webhook"`
	} `json:"conversion"`
	PreserveUnknownFields bool `json:"preserveUnknownFields"`
}

type definitionNames struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular,omitempty"`
	ShortNames []string `json:"shortNames,omitempty"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

type definitionVersion struct {
	Name               string  `json:"name"`
	Served             bool    `json:"served"`
	Storage            bool    `json:"storage"`
	Deprecated         bool    `json:"deprecated"`
	DeprecationWarning *string `json:"deprecationWarning"`
	Schema             *struct {
		OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
	} `json:"schema"`
	Subresources             *definitionSubresources `json:"subresources"`
	AdditionalPrinterColumns []column.Column         `json:"additionalPrinterColumns"`
	SelectableFields         []selectableField       `json:"selectableFields"`
}

type selectableField struct {
	JSONPath string `json:"jsonPath"`
}

type definitionSubresources struct {
	Status map[string]any `json:"status"`
	Scale  *struct {
		SpecReplicasPath   string  `json:"specReplicasPath"`
		StatusReplicasPath string  `json:"statusReplicasPath"`
		LabelSelectorPath  *string `json:"labelSelectorPath"`
	} `json:"scale"`
}

type definitionStatus struct {
	Conditions     []definitionCondition `json:"conditions"`
	AcceptedNames  definitionNames       `json:"acceptedNames"`
	StoredVersions []string              `json:"storedVersions"`
}

type definitionCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
	Reason             string      `json:"reason,omitempty"`
	Message            string      `json:"message,omitempty"`
	ObservedGeneration int64       `json:"observedGeneration,omitempty"`
}

// definitions is where the objects themselves are.
var definitionsResource = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// cleanupFinalizer keeps a definition until its objects are gone.
const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

func readDefinition(obj *unstructured.Unstructured) (*definition, error) {
	d := new(definition)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, d); err != nil {
		return nil, fmt.Errorf("read CustomResourceDefinition %s: %w", obj.GetName(), err)
	}
	return d, nil
}

// writeStatus puts the status into the object that d was read from.
func (d *definition) writeStatus(obj *unstructured.Unstructured) error {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&d.Status)
	if err != nil {
		return fmt.Errorf("write the status of CustomResourceDefinition %s: %w", obj.GetName(), err)
	}
	obj.Object["status"] = status
	return nil
}

func (d *definition) resource() schema.GroupResource {
	return schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural}
}

// storageVersion is "" while there is none.
func (d *definition) storageVersion() string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

func (d *definition) condition(kind string) *definitionCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

func (d *definition) is(kind string) bool {
	found := d.condition(kind)
	return found != nil && found.Status == "True"
}

// setCondition keeps the time of the last transition where the status stays,
// and reports whether anything has changed.
func (d *definition) setCondition(next definitionCondition) bool {
	found := d.condition(next.Type)
	if found == nil {
		if next.LastTransitionTime.IsZero() {
			next.LastTransitionTime = metav1.Now()
		}
		d.Status.Conditions = append(d.Status.Conditions, next)
		return true
	}
	if found.Status == next.Status && found.Reason == next.Reason && found.Message == next.Message {
		return false
	}
	if found.Status != next.Status {
		found.LastTransitionTime = metav1.Now()
	}
	found.Status, found.Reason, found.Message = next.Status, next.Reason, next.Message
	return true
}

// serves is whether requests for the resource are answered.
func (d *definition) serves() bool { return d.is("NamesAccepted") || d.is("Established") }

// resources are what a definition makes the server serve: its served versions,
// over one table.
func (d *definition) resources(over *table) []*resource {
	if !d.serves() {
		return nil
	}
	var all []*resource
	shapes, versions := d.shapes()
	for _, v := range d.Spec.Versions {
		if !v.Served {
			continue
		}
		accepted := d.Status.AcceptedNames
		res := &resource{
			Resource: Resource{
				ResourceInfo: rest.ResourceInfo{
					GroupVersionResource: d.resource().WithVersion(v.Name), Kind: accepted.Kind, Namespaced: d.Spec.Scope == "Namespaced",
				},
				ListKind: accepted.ListKind, Singular: accepted.Singular,
				ShortNames: accepted.ShortNames, Categories: accepted.Categories,
				Generation: true,
			},
			columns: v.AdditionalPrinterColumns,
			table:   over, custom: true, terminating: d.is("Terminating"),
			storage:  schema.GroupVersion{Group: d.Spec.Group, Version: d.storageVersion()},
			warnings: d.deprecation(v),
			shape:    shapes[v.Name], stored: shapes[d.storageVersion()], versions: versions,
		}
		for _, selectable := range v.SelectableFields {
			res.SelectableFields = append(res.SelectableFields, strings.TrimPrefix(selectable.JSONPath, "."))
		}
		if sub := v.Subresources; sub != nil {
			res.Status = sub.Status != nil
			if sub.Scale != nil {
				res.Scale = &Scale{SpecReplicas: sub.Scale.SpecReplicasPath, StatusReplicas: sub.Scale.StatusReplicasPath}
				if sub.Scale.LabelSelectorPath != nil {
					res.Scale.LabelSelector = *sub.Scale.LabelSelectorPath
				}
			}
		}
		res.complete()
		all = append(all, res)
	}
	return all
}

// shapes are what the schemas of the versions say, by name, and how the field
// manager sees that, by apiVersion. A schema that cannot be read, which is not
// accepted from a client, says nothing.
func (d *definition) shapes() (map[string]*kinds.Type, converters) {
	shapes, versions := map[string]*kinds.Type{}, converters{}
	for _, v := range d.Spec.Versions {
		if v.Schema != nil {
			shapes[v.Name], _ = kinds.FromSchema(v.Schema.OpenAPIV3Schema)
		}
		versions[schema.GroupVersion{Group: d.Spec.Group, Version: v.Name}.String()] = kinds.NewConverter(shapes[v.Name])
	}
	return shapes, versions
}

// deprecation is what clients of a version are warned of.
func (d *definition) deprecation(of definitionVersion) []string {
	switch {
	case !of.Deprecated:
		return nil
	case of.DeprecationWarning != nil:
		return []string{*of.DeprecationWarning}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", d.Spec.Group, of.Name, d.Spec.Names.Kind)
	var newer []string
	for _, v := range d.Spec.Versions {
		if v.Served && !v.Deprecated && version.CompareKubeAwareVersionStrings(of.Name, v.Name) < 0 {
			newer = append(newer, v.Name)
		}
	}
	if len(newer) > 0 {
		best := slices.MaxFunc(newer, version.CompareKubeAwareVersionStrings)
		text += fmt.Sprintf("; use %s/%s %s", d.Spec.Group, best, d.Spec.Names.Kind)
	}
	return []string{text}
}
