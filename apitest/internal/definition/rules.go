package definition

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validate validates a definition that replaces old, which is nil for a new one.
// It does not validate the metadata that all kinds have.
func (d *Definition) validate(old *Definition) field.ErrorList {
	var all field.ErrorList
	spec := field.NewPath("spec")
	if old == nil {
		all = append(all, d.validateName()...)
	}
	all = append(all, d.Spec.validate(spec)...)
	if old != nil {
		if old.Is("Established") {
			all = append(all, validation.ValidateImmutableField(d.Spec.Scope, old.Spec.Scope, spec.Child("scope"))...)
			all = append(all, validation.ValidateImmutableField(d.Spec.Names.Kind, old.Spec.Names.Kind, spec.Child("names", "kind"))...)
		}
		all = append(all, validation.ValidateImmutableField(d.Spec.Group, old.Spec.Group, spec.Child("group"))...)
		all = append(all, validation.ValidateImmutableField(d.Spec.Names.Plural, old.Spec.Names.Plural, spec.Child("names", "plural"))...)
	}
	all = append(all, d.validateStoredVersions()...)
	all = append(all, d.validateApproval(old)...)
	if d.Spec.PreserveUnknownFields {
		all = append(all, field.Invalid(spec.Child("preserveUnknownFields"), true, "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
	return all
}

// validateName checks that the name consists of the plural name and the group.
func (d *Definition) validateName() field.ErrorList {
	wrong := utilvalidation.IsDNS1123Subdomain(d.Metadata.Name)
	if d.Metadata.Name != d.Spec.Names.Plural+"."+d.Spec.Group {
		wrong = append(wrong, `must be spec.names.plural+"."+spec.group`)
	}
	var all field.ErrorList
	for _, detail := range wrong {
		all = append(all, field.Invalid(field.NewPath("metadata", "name"), d.Metadata.Name, detail))
	}
	return all
}

// validateStoredVersions checks that versions in which objects may be stored
// are not removed.
func (d *Definition) validateStoredVersions() field.ErrorList {
	at := field.NewPath("status", "storedVersions")
	if len(d.Status.StoredVersions) == 0 {
		return field.ErrorList{field.Invalid(at, d.Status.StoredVersions, "must have at least one stored version")}
	}
	var all field.ErrorList
	left := map[string]bool{}
	for _, v := range d.Status.StoredVersions {
		left[v] = true
	}
	for _, v := range d.Spec.Versions {
		if v.Storage && !left[v.Name] {
			all = append(all, field.Invalid(at, d.Status.StoredVersions, "must have the storage version "+v.Name))
		}
		delete(left, v.Name)
	}
	for i, v := range d.Status.StoredVersions {
		if left[v] {
			all = append(all, field.Invalid(at.Index(i), v, fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", v)))
		}
	}
	return all
}

func (d *Definition) validateApproval(old *Definition) field.ErrorList {
	if !isProtected(d.Spec.Group) {
		return nil
	}
	_, reason, message := d.approval()
	if old != nil {
		if _, before, _ := old.approval(); before == reason {
			return nil
		}
	}
	at := field.NewPath("metadata", "annotations").Key(approvedAnnotation)
	switch reason {
	case "MissingAnnotation":
		return field.ErrorList{field.Required(at, message)}
	case "InvalidAnnotation":
		return field.ErrorList{field.Invalid(at, d.Metadata.Annotations[approvedAnnotation], message)}
	}
	return nil
}

func (s *Spec) validate(at *field.Path) field.ErrorList {
	var all field.ErrorList
	if s.Group == "" {
		all = append(all, field.Required(at.Child("group"), ""))
	} else if errs := utilvalidation.IsDNS1123Subdomain(s.Group); len(errs) > 0 {
		all = append(all, field.Invalid(at.Child("group"), s.Group, strings.Join(errs, ",")))
	} else if !strings.Contains(s.Group, ".") {
		all = append(all, field.Invalid(at.Child("group"), s.Group, "should be a domain with at least one dot"))
	}
	switch s.Scope {
	case "":
		all = append(all, field.Required(at.Child("scope"), ""))
	case "Cluster", "Namespaced":
	default:
		all = append(all, field.NotSupported(at.Child("scope"), s.Scope, []string{"Cluster", "Namespaced"}))
	}
	all = append(all, s.validateVersions(at)...)
	for _, required := range []struct{ name, value string }{
		{"plural", s.Names.Plural}, {"singular", s.Names.Singular}, {"kind", s.Names.Kind}, {"listKind", s.Names.ListKind},
	} {
		if required.value == "" {
			all = append(all, field.Required(at.Child("names", required.name), ""))
		}
	}
	all = append(all, s.Names.validate(at.Child("names"))...)
	all = append(all, s.validateShared(at)...)
	return append(all, s.validateConversion(at.Child("conversion"))...)
}

// validateConversion rejects conversion by webhooks.
func (s *Spec) validateConversion(at *field.Path) field.ErrorList {
	if s.Conversion == nil {
		return nil
	}
	strategies := []string{"None", "Webhook"}
	switch s.Conversion.Strategy {
	case "None":
		if s.Conversion.Webhook != nil {
			return field.ErrorList{field.Forbidden(at.Child("webhookClientConfig"), "should not be set when strategy is not set to Webhook")}
		}
		return nil
	case "":
		return field.ErrorList{field.Required(at.Child("strategy"), "")}
	case "Webhook":
		strategies = strategies[:1]
	}
	return field.ErrorList{field.NotSupported(at.Child("strategy"), s.Conversion.Strategy, strategies)}
}

// shared reports which parts are the same in all versions. The real server
// stores those once, outside of the versions, and reports their errors there.
type shared struct{ schema, subresources, columns, fields bool }

func (s *Spec) shared() shared {
	same := func(part func(Version) any) bool {
		for _, v := range s.Versions {
			if value := reflect.ValueOf(part(v)); value.IsNil() || !reflect.DeepEqual(part(v), part(s.Versions[0])) {
				return false
			}
		}
		return len(s.Versions) > 0
	}
	return shared{
		schema:       same(func(v Version) any { return v.Schema }),
		subresources: same(func(v Version) any { return v.Subresources }),
		columns:      same(func(v Version) any { return v.AdditionalPrinterColumns }),
		fields:       same(func(v Version) any { return v.SelectableFields }),
	}
}

func (s *Spec) validateVersions(at *field.Path) field.ErrorList {
	var all field.ErrorList
	hoisted := s.shared()
	for i, v := range s.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			all = append(all, field.Required(at.Child("versions").Index(i).Child("schema", "openAPIV3Schema"), ""))
		}
	}
	stored, unique, seen := 0, true, map[string]bool{}
	for i, v := range s.Versions {
		at := at.Child("versions").Index(i)
		if v.Storage {
			stored++
		}
		unique = unique && !seen[v.Name]
		seen[v.Name] = true
		if errs := utilvalidation.IsDNS1035Label(v.Name); len(errs) > 0 {
			all = append(all, field.Invalid(at.Child("name"), v.Name, strings.Join(errs, ",")))
		}
		all = append(all, v.validateDeprecation(at)...)
		if !hoisted.schema {
			all = append(all, v.validateSchema(at.Child("schema", "openAPIV3Schema"))...)
		}
		if !hoisted.subresources {
			all = append(all, v.Subresources.validate(at.Child("subresources"))...)
		}
		if !hoisted.columns {
			all = append(all, v.validateColumns(at.Child("additionalPrinterColumns"))...)
		}
		if !hoisted.fields {
			all = append(all, v.validateSelectableFields(at.Child("selectableFields"))...)
		}
	}
	if !unique {
		all = append(all, field.Invalid(at.Child("versions"), s.internalVersions(hoisted), "must contain unique version names"))
	}
	if stored != 1 {
		all = append(all, field.Invalid(at.Child("versions"), s.internalVersions(hoisted), "must have exactly one version marked as storage version"))
	}
	if len(s.Versions) > 0 {
		if errs := utilvalidation.IsDNS1035Label(s.Versions[0].Name); len(errs) > 0 {
			all = append(all, field.Invalid(at.Child("version"), s.Versions[0].Name, strings.Join(errs, ",")))
		}
	}
	return all
}

// validateShared validates the parts that all versions share.
func (s *Spec) validateShared(at *field.Path) field.ErrorList {
	var all field.ErrorList
	hoisted := s.shared()
	if hoisted.schema {
		all = append(all, s.Versions[0].validateSchema(at.Child("validation", "openAPIV3Schema"))...)
	}
	if hoisted.subresources {
		all = append(all, s.Versions[0].Subresources.validate(at.Child("subresources"))...)
	}
	if hoisted.columns {
		all = append(all, s.Versions[0].validateColumns(at.Child("additionalPrinterColumns"))...)
	}
	if hoisted.fields {
		all = append(all, s.Versions[0].validateSelectableFields(at.Child("selectableFields"))...)
	}
	return all
}

// internalVersion is the form of a version in messages of the real server.
type internalVersion struct {
	Name                     string
	Served, Storage          bool
	Deprecated               bool
	DeprecationWarning       *string
	Schema, Subresources     any
	AdditionalPrinterColumns any
	SelectableFields         any
}

func (s *Spec) internalVersions(hoisted shared) []internalVersion {
	if s.Versions == nil {
		return nil
	}
	shown := make([]internalVersion, len(s.Versions))
	for i, v := range s.Versions {
		shown[i] = internalVersion{Name: v.Name, Served: v.Served, Storage: v.Storage, Deprecated: v.Deprecated, DeprecationWarning: v.DeprecationWarning}
		if !hoisted.schema && v.Schema != nil {
			shown[i].Schema = v.Schema
		}
	}
	return shown
}

// validate validates the names.
func (n Names) validate(at *field.Path) field.ErrorList {
	var all field.ErrorList
	label := func(at *field.Path, value, checked, prefix string) {
		if errs := utilvalidation.IsDNS1035Label(checked); value != "" && len(errs) > 0 {
			all = append(all, field.Invalid(at, value, prefix+strings.Join(errs, ",")))
		}
	}
	const mixed = "may have mixed case, but should otherwise match: "
	label(at.Child("plural"), n.Plural, n.Plural, "")
	label(at.Child("singular"), n.Singular, n.Singular, "")
	label(at.Child("kind"), n.Kind, strings.ToLower(n.Kind), mixed)
	label(at.Child("listKind"), n.ListKind, strings.ToLower(n.ListKind), mixed)
	for i, name := range n.ShortNames {
		label(at.Child("shortNames").Index(i), name, name, "")
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		all = append(all, field.Invalid(at.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range n.Categories {
		label(at.Child("categories").Index(i), name, name, "")
	}
	return all
}
