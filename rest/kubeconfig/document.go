package kubeconfig

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/util/json"
)

// decode makes maps, slices and scalars of a document, of the first if there
// are several. It goes through no struct, for the sake of errors that name the
// field, and through no JSON on the way from YAML: aliases stay shared, so that
// a small file cannot become a large one.
func decode(data []byte) (any, error) {
	var document any
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		// JSON is nearly YAML, but for escapes. What is not JSON may still be
		// YAML in the flow style.
		if err := json.Unmarshal(data, &document); err == nil {
			return document, nil
		}
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, errors.New(withoutValues(err))
	}
	return document, nil
}

// withoutValues is the error without what it quotes from the file, which may be
// a secret. The parser's own messages say a line and are constant; all others
// are cut where a value could begin.
func withoutValues(err error) string {
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
