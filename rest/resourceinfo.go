package rest

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// ResourceInfo identifies a resource, like a REST mapping. Package discovery finds
// it for a kind, a plural, a singular or a short name.
type ResourceInfo struct {
	schema.GroupVersionResource
	// Kind is sent with every write, and set on unstructured items without a kind.
	// An item of a list or watch that has another kind or group is reported as an
	// [*ItemError]. A View without a Kind accepts all kinds.
	Kind string
	// Namespaced is set if the objects are in namespaces.
	Namespaced bool
}

// GroupVersionKind returns the kind with its group and version.
func (i ResourceInfo) GroupVersionKind() schema.GroupVersionKind {
	return i.GroupVersion().WithKind(i.Kind)
}

// check validates the names of a resource.
func (i ResourceInfo) check() error {
	switch {
	case i.Resource == "":
		return errors.New(`ResourceInfo.Resource is empty: it is the plural name in lower case, such as "deployments"`)
	case len(validation.IsDNS1123Subdomain(i.Resource)) > 0:
		return fmt.Errorf(`ResourceInfo.Resource is %q: it is the plural name in lower case, such as "deployments"; kubectl api-resources lists the names`, i.Resource)
	case i.Version == "":
		return errors.New(`ResourceInfo.Version is empty: it is the version alone, such as "v1"; kubectl api-resources lists it behind the group`)
	case len(validation.IsDNS1123Subdomain(i.Version)) > 0:
		return fmt.Errorf(`ResourceInfo.Version is %q: it is the version alone, such as "v1"`, i.Version)
	case i.Group != "" && len(validation.IsDNS1123Subdomain(i.Group)) > 0:
		return fmt.Errorf(`ResourceInfo.Group is %q: it is the group alone, such as "apps", and empty for core resources such as pods`, i.Group)
	}
	return nil
}
