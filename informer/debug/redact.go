package debug

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// redacted replaces a value that is not shown.
const redacted = "REDACTED"

// lastApplied is the annotation in which kubectl keeps a copy of the object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// The errors of render contain no values of the object, which errors of the object's
// own methods may.
var (
	errNotEncodable = errors.New("encoding it as JSON failed")
	errNotObject    = errors.New("it is not a JSON object")
	errRedact       = errors.New("Options.Redact panicked")
)

// render returns the JSON of an object without secrets. It redacts the JSON, so that
// the Go type of a Secret does not matter.
func render(obj any, resource schema.GroupVersionResource, redact func(schema.GroupVersionResource, map[string]any)) (json.RawMessage, error) {
	content, err := contentOf(obj)
	if err != nil {
		return nil, err
	}
	redactObject(content, redactionOf(content, resource))
	if redact != nil {
		if err := recovered(func() { redact(resource, content) }, errRedact); err != nil {
			return nil, err
		}
	}
	return encode(content)
}

// contentOf returns a copy of the object as decoded JSON.
func contentOf(obj any) (content map[string]any, err error) {
	var text []byte
	marshal := func() { text, err = json.Marshal(obj) } // calls methods of the object
	if panicked := recovered(marshal, errNotEncodable); panicked != nil || err != nil {
		return nil, errNotEncodable
	}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&content); err != nil || content == nil {
		return nil, errNotObject
	}
	return content, nil
}

// recovered converts a panic of f to an error.
func recovered(f func(), failure error) (err error) {
	defer func() {
		if recover() != nil {
			err = failure
		}
	}()
	f()
	return nil
}

// encode can fail only because of values that Redact has added.
func encode(content map[string]any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the page escapes HTML itself
	var err error
	if panicked := recovered(func() { err = e.Encode(content) }, errNotEncodable); panicked != nil || err != nil {
		return nil, errNotEncodable
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// A redaction determines which fields of an object are shown.
type redaction int

const (
	// showAll shows all fields but the last-applied annotation.
	showAll redaction = iota
	// hideSuspect: the object may be a Secret. The fields that may have its data are
	// hidden.
	hideSuspect
	// hideAll: the object is a Secret. Only the harmless fields are shown.
	hideAll
)

var (
	shownOfSecret = []string{"apiVersion", "kind", "metadata", "type", "immutable"}
	// Several tools keep a copy of the whole object in an annotation.
	suspectFields = []string{"data", "stringData", "annotations"}
)

// redactionOf uses the resource of the informer and the kind of the object, which list
// items often lack. PartialObjectMetadata does not identify the kind.
func redactionOf(content map[string]any, resource schema.GroupVersionResource) redaction {
	kind, _ := content["kind"].(string)
	switch {
	case kind == "Secret", resource.Group == "" && resource.Resource == "secrets":
		return hideAll
	case resource.Resource == "" && (kind == "" || kind == "PartialObjectMetadata"):
		return hideSuspect
	}
	return showAll
}

func (r redaction) hides(field string) bool {
	switch r {
	case hideAll:
		return !slices.Contains(shownOfSecret, field)
	case hideSuspect:
		return slices.ContainsFunc(suspectFields, func(s string) bool { return strings.EqualFold(s, field) })
	}
	return field == lastApplied
}

// redactObject redacts the fields of content by r, and nested Secrets.
func redactObject(content map[string]any, r redaction) {
	if content["kind"] == "SecretList" {
		redactSecrets(content["items"])
	}
	for name, value := range content {
		metadata, isMap := value.(map[string]any)
		switch {
		case r.hides(name):
			content[name] = blank(value)
		case isMap && r != showAll && strings.EqualFold(name, "metadata"):
			redactObject(metadata, hideSuspect)
		default:
			redactWithin(value)
		}
	}
}

func redactWithin(value any) {
	switch value := value.(type) {
	case map[string]any:
		// The kind Secret may also be part of a reference to a Secret.
		r := showAll
		if value["kind"] == "Secret" || mayBeSecret(value) {
			r = hideSuspect
		}
		redactObject(value, r)
	case []any:
		for _, element := range value {
			redactWithin(element)
		}
	}
}

// redactSecrets redacts the items of a SecretList, which may have no kind.
func redactSecrets(items any) {
	list, _ := items.([]any)
	for _, item := range list {
		if secret, ok := item.(map[string]any); ok {
			redactObject(secret, hideAll)
		}
	}
}

// mayBeSecret reports whether a nested object has no kind and has the fields of a
// Secret. It may be an item of a list of Secrets.
func mayBeSecret(value map[string]any) bool {
	if kind, _ := value["kind"].(string); kind != "" {
		return false
	}
	_, hasText := value["stringData"]
	_, hasData := value["data"]
	_, isObject := value["metadata"].(map[string]any)
	_, hasType := value["type"].(string)
	return hasText || hasData && (isObject || hasType)
}

// blank redacts a value. It keeps the keys of a map.
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
