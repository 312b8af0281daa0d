package registry

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/kinds"
)

// Selection selects objects by the selectors of a request. It belongs to
// one goroutine.
type Selection struct {
	// Name is the required name, "" for any. none reports that no object can match
	// the required names.
	Name string
	none bool

	labels labels.Selector // nil matches any
	fields []fieldTerm
	res    *Resource

	decoder jsonobj.Decoder
}

// fieldTerm is one comparison of a field selector.
type fieldTerm struct {
	field string
	value string
	not   bool
	// get returns the field of an object; nil for fields in the key of a record.
	get func(map[string]any) string
}

// ParseSelection parses the parameters labelSelector and fieldSelector. Its
// errors are bad requests.
func ParseSelection(query url.Values, res *Resource) (*Selection, error) {
	c := &Selection{res: res}
	if text := query.Get("labelSelector"); text != "" {
		parsed, err := labels.Parse(text)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if !parsed.Empty() {
			c.labels = parsed
		}
	}
	parsed, err := fields.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, r := range parsed.Requirements() {
		get, err := res.selectable(r.Field)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		term := fieldTerm{field: r.Field, value: r.Value, not: r.Operator == selection.NotEquals, get: get}
		if r.Field == "metadata.name" && !term.not {
			c.requireName(r.Value)
			continue
		}
		c.fields = append(c.fields, term)
	}
	return c, nil
}

// requireName adds a required name.
func (s *Selection) requireName(name string) {
	s.none = s.none || name == "" || s.Name != "" && s.Name != name
	s.Name = name
}

// RequirePathName adds the name in the path of a watch. A field selector may
// repeat it, and nothing else.
func (s *Selection) RequirePathName(name string) error {
	if s.Name == "" && len(s.fields) > 0 || s.Name != "" && s.Name != name || s.none {
		return apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	s.Name = name
	return nil
}

// MatchesAll reports whether there are no selectors.
func (s *Selection) MatchesAll() bool {
	return s.Name == "" && !s.none && s.labels == nil && len(s.fields) == 0
}

// Matches reports whether an object is selected. An object that cannot be
// decoded is not.
func (s *Selection) Matches(rec *storage.Record) bool {
	if s.none || s.Name != "" && rec.Name != s.Name {
		return false
	}
	var object map[string]any
	for i := range s.fields {
		var value string
		switch term := &s.fields[i]; {
		case term.field == "metadata.name":
			value = rec.Name
		case term.field == "metadata.namespace":
			value = rec.Namespace
		default:
			if object == nil {
				decoded, err := objects.Decode(rec.Raw)
				if err != nil {
					return false
				}
				object = decoded.Object
			}
			value = term.get(object)
		}
		if (value == s.fields[i].value) == s.fields[i].not {
			return false
		}
	}
	if s.labels == nil {
		return true
	}
	// The text after the metadata is not decoded.
	_, rest := objects.SplitHead(rec.Raw)
	text, isStored := bytes.CutPrefix(rest, []byte(`"metadata":`))
	var meta labelsOnly
	if _, err := s.decoder.Decode(labelsOnlyPlan(), text, &meta); err != nil || !isStored {
		return false
	}
	return s.labels.Matches(labels.Set(meta.Labels))
}

// labelsOnly is the part of the metadata that label selectors need.
type labelsOnly struct {
	Labels map[string]string `json:"labels"`
}

var labelsOnlyPlan = sync.OnceValue(func() *jsonobj.Plan {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[labelsOnly]())
	if err != nil {
		panic(err) // a fixed type; the tests would fail
	}
	return plan
})

// selectable returns a function for a field of a field selector. Its error is
// the message for unsupported fields.
func (r *Resource) selectable(name string) (func(map[string]any) string, error) {
	if r.Builtin != nil {
		field, err := r.Builtin.Field(name)
		return field.Value, err
	}
	if name == "metadata.name" || name == "metadata.namespace" && (r.Namespaced || !r.Custom) {
		return nil, nil
	}
	if slices.Contains(r.SelectableFields, name) {
		return func(object map[string]any) string { return fieldText(object, name) }, nil
	}
	if r.Custom {
		return nil, errors.New("field label not supported: " + name)
	}
	_, err := new(kinds.Resource).Field(name)
	return nil, err
}

// fieldText returns the text of a field for comparison, "" if it is missing or
// an object.
func fieldText(object map[string]any, path string) string {
	var value any = object
	for name := range strings.SplitSeq(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	switch value := value.(type) {
	case string:
		return value
	case bool, int64, float64:
		return fmt.Sprint(value)
	}
	return ""
}
