package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// width is how long a line of an answer gets before it is broken up.
const width = 110

// render writes a JSON value so that differences are found by eye: keys
// sorted, and on one line whatever fits on it.
func render(value any, indent int) string {
	flat := flatten(value)
	if indent+len(flat) <= width {
		return flat
	}
	pad := strings.Repeat(" ", indent+2)
	var b strings.Builder
	switch value := value.(type) {
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(value)) {
			head := pad + flatten(key) + ": "
			b.WriteString(opening("{", i) + head + render(value[key], len(pad)))
		}
		return b.String() + "\n" + pad[2:] + "}"
	case []any:
		for i, item := range value {
			b.WriteString(opening("[", i) + pad + render(item, len(pad)))
		}
		return b.String() + "\n" + pad[2:] + "]"
	}
	return flat
}

func opening(bracket string, i int) string {
	if i == 0 {
		return bracket + "\n"
	}
	return ",\n"
}

// flatten writes a JSON value on one line.
func flatten(value any) string {
	var b strings.Builder
	switch value := value.(type) {
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(value)) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(flatten(key) + ": " + flatten(value[key]))
		}
		return "{" + b.String() + "}"
	case []any:
		for i, item := range value {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(flatten(item))
		}
		return "[" + b.String() + "]"
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "(" + err.Error() + ")"
	}
	return strings.TrimSpace(text.String())
}

// quoted writes text that is no JSON so that it cannot be taken for the end of
// an answer.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("| " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
