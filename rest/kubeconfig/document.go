package kubeconfig

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/util/json"
)

// decode decodes the first document of data into maps, slices and scalars. It
// decodes into no struct, so that errors can name the field, and converts no YAML
// to JSON, so that aliases stay shared and cannot expand a small file to a large
// one.
func decode(data []byte) (any, error) {
	var document any
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		// YAML does not have all escapes of JSON. Text that is not JSON may still
		// be YAML in flow style.
		if err := json.Unmarshal(data, &document); err == nil {
			return document, nil
		}
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, errors.New(redactedMessage(err))
	}
	return document, nil
}

// redactedMessage returns the message of err without values from the file, which may
// be secret. Messages of the parser that begin with a line number are constant; all
// others are cut where a value could begin.
func redactedMessage(err error) string {
	var wrongTypes *yaml.TypeError
	if errors.As(err, &wrongTypes) {
		return "a value does not fit its type"
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(text, "line ") {
		return text
	}
	if i := strings.IndexAny(text, "'`\":"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	return text
}
