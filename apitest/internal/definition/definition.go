package definition

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// Definition contains the fields of a CustomResourceDefinition that this server
// uses.
type Definition struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     Spec              `json:"spec"`
	Status   Status            `json:"status"`
}

// Spec is the specification of a definition.
type Spec struct {
	Group      string    `json:"group"`
	Names      Names     `json:"names"`
	Scope      string    `json:"scope"`
	Versions   []Version `json:"versions"`
	Conversion *struct {
		Strategy string         `json:"strategy"`
		Webhook  map[string]any `json:"webhook"`
	} `json:"conversion"`
	PreserveUnknownFields bool `json:"preserveUnknownFields"`
}

// Names are the names of the defined resource.
type Names struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular,omitempty"`
	ShortNames []string `json:"shortNames,omitempty"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

// Version is a version of the defined resource.
type Version struct {
	Name               string  `json:"name"`
	Served             bool    `json:"served"`
	Storage            bool    `json:"storage"`
	Deprecated         bool    `json:"deprecated"`
	DeprecationWarning *string `json:"deprecationWarning"`
	Schema             *struct {
		OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
	} `json:"schema"`
	Subresources             *Subresources     `json:"subresources"`
	AdditionalPrinterColumns []column.Column   `json:"additionalPrinterColumns"`
	SelectableFields         []selectableField `json:"selectableFields"`
}

type selectableField struct {
	JSONPath string `json:"jsonPath"`
}

// Subresources are the subresources of a version; nil ones are not served.
type Subresources struct {
	Status map[string]any `json:"status"`
	Scale  *struct {
		SpecReplicasPath   string  `json:"specReplicasPath"`
		StatusReplicasPath string  `json:"statusReplicasPath"`
		LabelSelectorPath  *string `json:"labelSelectorPath"`
	} `json:"scale"`
}

// Status is what the server reports about a definition.
type Status struct {
	Conditions     []Condition `json:"conditions"`
	AcceptedNames  Names       `json:"acceptedNames"`
	StoredVersions []string    `json:"storedVersions"`
}

// Condition is one condition of a definition.
type Condition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
	Reason             string      `json:"reason,omitempty"`
	Message            string      `json:"message,omitempty"`
	ObservedGeneration int64       `json:"observedGeneration,omitempty"`
}

// GroupResource is the resource of the definitions themselves.
var GroupResource = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// CleanupFinalizer keeps a definition until its objects are deleted.
const CleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// Read decodes a definition. It does not retain the object.
func Read(obj *unstructured.Unstructured) (*Definition, error) {
	d := new(Definition)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, d); err != nil {
		return nil, fmt.Errorf("read CustomResourceDefinition %s: %w", obj.GetName(), err)
	}
	return d, nil
}

// WriteStatus sets the status of the object that d was read from.
func (d *Definition) WriteStatus(obj *unstructured.Unstructured) error {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&d.Status)
	if err != nil {
		return fmt.Errorf("write the status of CustomResourceDefinition %s: %w", obj.GetName(), err)
	}
	obj.Object["status"] = status
	return nil
}

// DefinedResource returns the resource that the definition defines.
func (d *Definition) DefinedResource() schema.GroupResource {
	return schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural}
}

// storageVersion returns "" if there is none.
func (d *Definition) storageVersion() string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// Condition returns a condition, nil if it is not set.
func (d *Definition) Condition(kind string) *Condition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// Is reports whether a condition is true.
func (d *Definition) Is(kind string) bool {
	found := d.Condition(kind)
	return found != nil && found.Status == "True"
}

// SetCondition sets a condition, and reports whether anything has changed. It
// keeps the time of the last transition if the status is unchanged.
func (d *Definition) SetCondition(next Condition) bool {
	found := d.Condition(next.Type)
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

// serves reports whether the resource is served.
func (d *Definition) serves() bool { return d.Is("NamesAccepted") || d.Is("Established") }

// Resources returns the served versions of a definition, which share one table.
func (d *Definition) Resources(table *storage.Table) []*registry.Resource {
	if !d.serves() {
		return nil
	}
	var all []*registry.Resource
	shapes, versions := d.shapes()
	for _, v := range d.Spec.Versions {
		if !v.Served {
			continue
		}
		accepted := d.Status.AcceptedNames
		res := &registry.Resource{
			Info: registry.Info{
				ResourceInfo: rest.ResourceInfo{
					GroupVersionResource: d.DefinedResource().WithVersion(v.Name), Kind: accepted.Kind, Namespaced: d.Spec.Scope == "Namespaced",
				},
				ListKind: accepted.ListKind, Singular: accepted.Singular,
				ShortNames: accepted.ShortNames, Categories: accepted.Categories,
				Generation: true,
			},
			Columns: v.AdditionalPrinterColumns,
			Table:   table, Custom: true, Terminating: d.Is("Terminating"),
			Storage:  schema.GroupVersion{Group: d.Spec.Group, Version: d.storageVersion()},
			Warnings: d.deprecation(v),
			Shape:    shapes[v.Name], Stored: shapes[d.storageVersion()], Versions: versions,
		}
		for _, selectable := range v.SelectableFields {
			res.SelectableFields = append(res.SelectableFields, strings.TrimPrefix(selectable.JSONPath, "."))
		}
		if sub := v.Subresources; sub != nil {
			res.Status = sub.Status != nil
			if sub.Scale != nil {
				res.Scale = &registry.ScalePaths{SpecReplicas: sub.Scale.SpecReplicasPath, StatusReplicas: sub.Scale.StatusReplicasPath}
				if sub.Scale.LabelSelectorPath != nil {
					res.Scale.LabelSelector = *sub.Scale.LabelSelectorPath
				}
			}
		}
		res.Complete()
		all = append(all, res)
	}
	return all
}

// shapes returns the schemas of the versions by name, and their converters for
// the field manager by apiVersion. An invalid schema, which is not accepted
// from clients, is treated as empty.
func (d *Definition) shapes() (map[string]*kinds.Type, registry.Converters) {
	shapes, versions := map[string]*kinds.Type{}, registry.Converters{}
	for _, v := range d.Spec.Versions {
		if v.Schema != nil {
			shapes[v.Name], _ = kinds.FromSchema(v.Schema.OpenAPIV3Schema)
		}
		versions[schema.GroupVersion{Group: d.Spec.Group, Version: v.Name}.String()] = kinds.NewConverter(shapes[v.Name])
	}
	return shapes, versions
}

// deprecation returns the warnings for clients of a version.
func (d *Definition) deprecation(deprecated Version) []string {
	switch {
	case !deprecated.Deprecated:
		return nil
	case deprecated.DeprecationWarning != nil:
		return []string{*deprecated.DeprecationWarning}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", d.Spec.Group, deprecated.Name, d.Spec.Names.Kind)
	var newer []string
	for _, v := range d.Spec.Versions {
		if v.Served && !v.Deprecated && version.CompareKubeAwareVersionStrings(deprecated.Name, v.Name) < 0 {
			newer = append(newer, v.Name)
		}
	}
	if len(newer) > 0 {
		best := slices.MaxFunc(newer, version.CompareKubeAwareVersionStrings)
		text += fmt.Sprintf("; use %s/%s %s", d.Spec.Group, best, d.Spec.Names.Kind)
	}
	return []string{text}
}
