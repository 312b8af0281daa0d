package definition

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validation of one version of a definition, or of the parts that all versions
// share.

func (v *Version) validateDeprecation(at *field.Path) field.ErrorList {
	if v.DeprecationWarning == nil {
		return nil
	}
	at = at.Child("deprecationWarning")
	var all field.ErrorList
	if !v.Deprecated {
		return append(all, field.Invalid(at, v.DeprecationWarning, "can only be set for deprecated versions"))
	}
	if len(*v.DeprecationWarning) > 256 {
		all = append(all, field.Invalid(at, v.DeprecationWarning, "must be <= 256 characters long"))
	}
	if *v.DeprecationWarning == "" {
		all = append(all, field.Invalid(at, v.DeprecationWarning, "must not be an empty string"))
	}
	return all
}

func (s *Subresources) validate(at *field.Path) field.ErrorList {
	if s == nil || s.Scale == nil {
		return nil
	}
	var all field.ErrorList
	path := func(name, value, below string) {
		at := at.Child("scale." + name)
		switch errs := validateSimplePath(value, at); {
		case value == "":
			all = append(all, field.Required(at, ""))
		case len(errs) > 0:
			all = append(all, errs...)
		case !strings.HasPrefix(value, below+"."):
			all = append(all, field.Invalid(at, value, "should be a json path under "+below))
		}
	}
	path("specReplicasPath", s.Scale.SpecReplicasPath, ".spec")
	path("statusReplicasPath", s.Scale.StatusReplicasPath, ".status")
	if selector := s.Scale.LabelSelectorPath; selector != nil && *selector != "" {
		at := at.Child("scale.labelSelectorPath")
		if errs := validateSimplePath(*selector, at); len(errs) > 0 {
			all = append(all, errs...)
		} else if !strings.HasPrefix(*selector, ".spec.") && !strings.HasPrefix(*selector, ".status.") {
			all = append(all, field.Invalid(at, selector, "should be a json path under either .spec or .status"))
		}
	}
	return all
}

func validateSimplePath(path string, at *field.Path) field.ErrorList {
	if path != "" && path[0] != '.' {
		return field.ErrorList{field.Invalid(at, path, "must be a simple json path starting with .")}
	}
	return nil
}

func (v *Version) validateColumns(at *field.Path) field.ErrorList {
	var all field.ErrorList
	for i, c := range v.AdditionalPrinterColumns {
		at := at.Index(i)
		if c.Name == "" {
			all = append(all, field.Required(at.Child("name"), ""))
		}
		const types = "must be one of boolean,date,integer,number,string"
		switch c.Type {
		case "":
			all = append(all, field.Required(at.Child("type"), types))
		case "boolean", "date", "integer", "number", "string":
		default:
			all = append(all, field.Invalid(at.Child("type"), c.Type, types))
		}
		switch c.Format {
		case "", "byte", "date", "date-time", "double", "float", "int32", "int64", "password":
		default:
			all = append(all, field.Invalid(at.Child("format"), c.Format, "must be one of byte,date,date-time,double,float,int32,int64,password"))
		}
		if c.JSONPath == "" {
			all = append(all, field.Required(at.Child("JSONPath"), ""))
		} else {
			all = append(all, validateSimplePath(c.JSONPath, at.Child("JSONPath"))...)
		}
	}
	return all
}

// maxSelectableFields is the maximum number per version.
const maxSelectableFields = 8

func (v *Version) validateSelectableFields(at *field.Path) field.ErrorList {
	if v.Schema == nil {
		return nil
	}
	var all field.ErrorList
	seen := map[string]bool{}
	for i, selectable := range v.SelectableFields {
		at := at.Index(i).Child("jsonPath")
		path := selectable.JSONPath
		if path == "" {
			all = append(all, field.Required(at, ""))
			continue
		}
		if path[0] != '.' && path[0] != '[' {
			first, _, _ := strings.Cut(path, ".")
			all = append(all, field.Invalid(at, path, "is an invalid path: expected [ or . but got: "+first))
			continue
		}
		found := v.Schema.OpenAPIV3Schema
		steps := strings.Split(strings.TrimPrefix(path, "."), ".")
		for _, step := range steps {
			properties, _ := found["properties"].(map[string]any)
			found, _ = properties[step].(map[string]any)
		}
		if found == nil || path[0] != '.' {
			all = append(all, field.Invalid(at, path, "is an invalid path: does not refer to a valid field"))
			continue
		}
		if steps[0] == "metadata" {
			all = append(all, field.Invalid(at, path, "must not point to fields in metadata"))
		}
		switch found["type"] {
		case "string", "boolean", "integer":
		default:
			all = append(all, field.Invalid(at, path, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."))
		}
		if seen[path] {
			all = append(all, field.Duplicate(at, path))
		}
		seen[path] = true
	}
	if len(seen) > maxSelectableFields {
		all = append(all, field.TooMany(at, len(seen), maxSelectableFields))
	}
	return all
}
