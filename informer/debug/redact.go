package debug

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// redacted stands where something is not shown, without its length.
const redacted = "REDACTED"

// lastApplied is the annotation in which kubectl keeps the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Errors of render name no value of the object, as those of its own methods
// may.
var (
	errNotEncodable = errors.New("it cannot be encoded as JSON")
	errNotObject    = errors.New("its JSON is not an object")
	errRedact       = errors.New("Options.Redact has panicked")
)

// render is the JSON of a stored object without what is secret. It works on the
// JSON, so that it does not matter by which Go type somebody looks at a Secret.
func render(obj any, resource schema.GroupVersionResource, redact func(schema.GroupVersionResource, map[string]any)) (json.RawMessage, error) {
	content, err := contentOf(obj)
	if err != nil {
		return nil, err
	}
	redactObject(content, cautionOf(content, resource))
	if redact != nil {
		if err := guarded(func() { redact(resource, content) }, errRedact); err != nil {
			return nil, err
		}
	}
	return encode(content)
}

// contentOf is a copy of the object as what JSON knows. Nobody else has it, so
// it may be changed.
func contentOf(obj any) (content map[string]any, err error) {
	var text []byte
	marshal := func() { text, err = json.Marshal(obj) } // calls methods of the object's
	if panicked := guarded(marshal, errNotEncodable); panicked != nil || err != nil {
		return nil, errNotEncodable
	}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&content); err != nil || content == nil {
		return nil, errNotObject
	}
	return content, nil
}

// guarded turns a panic into an error.
func guarded(f func(), or error) (err error) {
	defer func() {
		if recover() != nil {
			err = or
		}
	}()
	f()
	return nil
}

// encode finds nothing wrong but what Redact has put in.
func encode(content map[string]any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the page escapes for itself
	var err error
	if panicked := guarded(func() { err = e.Encode(content) }, errNotEncodable); panicked != nil || err != nil {
		return nil, errNotEncodable
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// A caution says how much of an object may be shown.
type caution int

const (
	// open: all but what kubectl has last applied.
	open caution = iota
	// careful: it may be a Secret, so nothing that is suspect.
	careful
	// closed: it is a Secret, so only what is harmless.
	closed
)

var (
	harmless = []string{"apiVersion", "kind", "metadata", "type", "immutable"}
	// Several tools keep a copy of the whole object in an annotation.
	suspect = []string{"data", "stringData", "annotations"}
)

// cautionOf goes by what the informer reads, and by the object's own kind, which
// items of a list often lack. PartialObjectMetadata is a form, and not a kind.
func cautionOf(content map[string]any, resource schema.GroupVersionResource) caution {
	kind, _ := content["kind"].(string)
	switch {
	case kind == "Secret", resource.Group == "" && resource.Resource == "secrets":
		return closed
	case resource.Resource == "" && (kind == "" || kind == "PartialObjectMetadata"):
		return careful
	}
	return open
}

func (c caution) hides(field string) bool {
	switch c {
	case closed:
		return !slices.Contains(harmless, field)
	case careful:
		return slices.ContainsFunc(suspect, func(s string) bool { return strings.EqualFold(s, field) })
	}
	return field == lastApplied
}

// redactObject takes out what c says, and what Secrets within the object hold.
func redactObject(content map[string]any, c caution) {
	for name, value := range content {
		metadata, isMap := value.(map[string]any)
		switch {
		case c.hides(name):
			content[name] = blank(value)
		case isMap && c != open && strings.EqualFold(name, "metadata"):
			redactObject(metadata, careful)
		default:
			redactWithin(value)
		}
	}
}

func redactWithin(value any) {
	switch value := value.(type) {
	case map[string]any:
		// What says Secret may be one, or only name one.
		c := open
		if value["kind"] == "Secret" {
			c = careful
		}
		redactObject(value, c)
	case []any:
		for _, element := range value {
			redactWithin(element)
		}
	}
}

// blank keeps the names of a map and nothing else.
func blank(value any) any {
	fields, ok := value.(map[string]any)
	if !ok {
		return redacted
	}
	for name := range fields {
		fields[name] = redacted
	}
	return fields
}
