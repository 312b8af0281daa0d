package apitest

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

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/kinds"
)

// choice is which of the objects that a path names a request is about: what its
// selectors say. It belongs to one goroutine.
type choice struct {
	// name that an object must have, "" for any, and whether no object can have
	// the names that are asked for.
	name string
	none bool

	labels labels.Selector // nil is any
	fields []fieldTerm
	res    *resource

	decoder jsonobj.Decoder
}

// fieldTerm is one comparison of a field selector.
type fieldTerm struct {
	field string
	value string
	not   bool
	// get is the field in an object; nil for what a record has in its key.
	get func(map[string]any) string
}

// parseSelection reads the parameters labelSelector and fieldSelector. Its
// errors are bad requests.
func parseSelection(query url.Values, res *resource) (*choice, error) {
	c := &choice{res: res}
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
			c.require(r.Value)
			continue
		}
		c.fields = append(c.fields, term)
	}
	return c, nil
}

// require narrows the choice to one name.
func (c *choice) require(name string) {
	c.none = c.none || name == "" || c.name != "" && c.name != name
	c.name = name
}

// named narrows the choice to the name in the path of a watch, which a field
// selector may repeat and not add to.
func (c *choice) named(name string) error {
	if c.name == "" && len(c.fields) > 0 || c.name != "" && c.name != name || c.none {
		return apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	c.name = name
	return nil
}

// everything is whether there are no selectors at all.
func (c *choice) everything() bool {
	return c.name == "" && !c.none && c.labels == nil && len(c.fields) == 0
}

// matches is whether an object is chosen. One whose text cannot be read is not.
func (c *choice) matches(rec *record) bool {
	if c.none || c.name != "" && rec.name != c.name {
		return false
	}
	var object map[string]any
	for i := range c.fields {
		var value string
		switch term := &c.fields[i]; {
		case term.field == "metadata.name":
			value = rec.name
		case term.field == "metadata.namespace":
			value = rec.namespace
		default:
			if object == nil {
				decoded, err := decode(rec.raw)
				if err != nil {
					return false
				}
				object = decoded.Object
			}
			value = term.get(object)
		}
		if (value == c.fields[i].value) == c.fields[i].not {
			return false
		}
	}
	if c.labels == nil {
		return true
	}
	// What follows the metadata is not even looked at.
	_, rest := splitHead(rec.raw)
	text, isStored := bytes.CutPrefix(rest, []byte(`"metadata":`))
	var meta labelled
	if _, err := c.decoder.Decode(labelledPlan(), text, &meta); err != nil || !isStored {
		return false
	}
	return c.labels.Matches(labels.Set(meta.Labels))
}

// labelled is as much of the metadata as the labels.
type labelled struct {
	Labels map[string]string `json:"labels"`
}

var labelledPlan = sync.OnceValue(func() *jsonobj.Plan {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[labelled]())
	if err != nil {
		panic(err) // the type is ours: its test would have failed
	}
	return plan
})

// selectable is how to get at a field that a selector names. The error is the
// message for those that cannot be selected by.
func (r *resource) selectable(name string) (func(map[string]any) string, error) {
	if r.builtin != nil {
		field, err := r.builtin.Field(name)
		return field.Value, err
	}
	if name == "metadata.name" || name == "metadata.namespace" && (r.Namespaced || !r.custom) {
		return nil, nil
	}
	if slices.Contains(r.SelectableFields, name) {
		return func(object map[string]any) string { return fieldText(object, name) }, nil
	}
	if r.custom {
		return nil, errors.New("field label not supported: " + name)
	}
	_, err := new(kinds.Resource).Field(name)
	return nil, err
}

// fieldText is what a selector compares the field at a path with: nothing for
// what is not there, or holds other fields.
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
