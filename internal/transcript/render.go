package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxLineWidth is the width at which a line of an answer is broken.
const maxLineWidth = 110

// render formats a JSON value for comparison by eye: keys are sorted, and a value
// that fits on one line is on one line.
func render(value any, indent int) string {
	flat := flatten(value)
	if indent+len(flat) <= maxLineWidth {
		return flat
	}
	pad := strings.Repeat(" ", indent+2)
	var b strings.Builder
	switch value := value.(type) {
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(value)) {
			head := pad + flatten(key) + ": "
			b.WriteString(separator("{", i) + head + render(value[key], len(pad)))
		}
		return b.String() + "\n" + pad[2:] + "}"
	case []any:
		for i, item := range value {
			b.WriteString(separator("[", i) + pad + render(item, len(pad)))
		}
		return b.String() + "\n" + pad[2:] + "]"
	}
	return flat
}

func separator(bracket string, i int) string {
	if i == 0 {
		return bracket + "\n"
	}
	return ",\n"
}

// flatten formats a JSON value on one line.
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

// quoteText formats text that is not JSON so that it cannot be mistaken for the end
// of an answer.
func quoteText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("| " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
