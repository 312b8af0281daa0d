package column

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jsonPath is a path to a value in an object. It supports the simple paths of
// printer columns, such as .spec.replicas, .metadata.labels['a.b'], .spec.ports[0],
// .spec.ports[*].port and .status.conditions[?(@.type=="Ready")].status.
type jsonPath []pathStep

// pathStep selects parts of a value: the field of a name, the element at an index,
// all parts, or those that match a comparison.
type pathStep struct {
	name  string
	index int
	kind  stepKind
	// operand leads from an element to the value that is compared with equals;
	// negated is set for !=.
	operand jsonPath
	equals  any
	negated bool
}

type stepKind uint8

const (
	byName stepKind = iota
	byIndex
	allParts
	matchingParts
)

// maxPathLength bounds the length of a path.
const maxPathLength = 4 << 10

func parseJSONPath(text string) (jsonPath, error) {
	rest := strings.TrimPrefix(text, "$")
	if len(text) > maxPathLength {
		return nil, fmt.Errorf("parse JSONPath: longer than %d bytes", maxPathLength)
	}
	path, rest, err := parseSteps(rest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("parse JSONPath %q: %w", text, err)
	case rest != "":
		return nil, fmt.Errorf("parse JSONPath %q: unexpected %q", text, rest)
	}
	return path, nil
}

// parseSteps parses steps until the text ends or another character follows.
func parseSteps(text string) (path jsonPath, rest string, err error) {
	for text != "" {
		var step pathStep
		switch text[0] {
		case '.':
			text = text[1:]
			end := strings.IndexAny(text, ".[ =!<>)")
			if end < 0 {
				end = len(text)
			}
			if end == 0 {
				if text == "" || text[0] == '[' { // "." alone, and ".[0]"
					continue
				}
				return nil, "", fmt.Errorf("missing name before %q", text)
			}
			step, text = pathStep{name: text[:end]}, text[end:]
			if step.name == "*" {
				step = pathStep{kind: allParts}
			}
		case '[':
			if step, text, err = parseBracket(text[1:]); err != nil {
				return nil, "", err
			}
		default:
			return path, text, nil
		}
		path = append(path, step)
	}
	return path, "", nil
}

// parseBracket parses the text after an opening bracket, up to the closing one.
func parseBracket(text string) (step pathStep, rest string, err error) {
	if filter, found := strings.CutPrefix(text, "?("); found {
		return parseFilter(filter)
	}
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		name, rest, err := parseQuoted(text)
		if err != nil {
			return step, "", err
		}
		rest, found := strings.CutPrefix(rest, "]")
		if !found {
			return step, "", fmt.Errorf("unclosed bracket after %q", name)
		}
		return pathStep{name: name}, rest, nil
	}
	inside, rest, found := strings.Cut(text, "]")
	if !found {
		return step, "", fmt.Errorf("unclosed bracket: %q", text)
	}
	if inside == "*" {
		return pathStep{kind: allParts}, rest, nil
	}
	at, err := strconv.Atoi(inside)
	if err != nil {
		return step, "", fmt.Errorf("%q is not an index", inside)
	}
	return pathStep{kind: byIndex, index: at}, rest, nil
}

// parseFilter parses @.type=="Ready")].
func parseFilter(text string) (step pathStep, rest string, err error) {
	step.kind = matchingParts
	text, found := strings.CutPrefix(strings.TrimLeft(text, " "), "@")
	if !found {
		return step, "", fmt.Errorf("filter must begin with @, got %q", text)
	}
	if step.operand, text, err = parseSteps(text); err != nil {
		return step, "", err
	}
	text = strings.TrimLeft(text, " ")
	switch {
	case strings.HasPrefix(text, "=="):
	case strings.HasPrefix(text, "!="):
		step.negated = true
	default:
		return step, "", fmt.Errorf("filter operator must be == or !=, got %q", text)
	}
	text = strings.TrimLeft(text[2:], " ")
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		if step.equals, text, err = parseQuoted(text); err != nil {
			return step, "", err
		}
	} else {
		end := strings.IndexAny(text, " )")
		if end < 0 {
			return step, "", fmt.Errorf("unclosed filter: %q", text)
		}
		step.equals, text = literal(text[:end]), text[end:]
	}
	if rest, found = strings.CutPrefix(strings.TrimLeft(text, " "), ")]"); !found {
		return step, "", fmt.Errorf("unclosed filter: %q", text)
	}
	return step, rest, nil
}

// parseQuoted parses a text in single or double quotes.
func parseQuoted(text string) (value, rest string, err error) {
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return out.String(), text[i+1:], nil
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		out.WriteByte(text[i])
	}
	return "", "", fmt.Errorf("unclosed quote: %s", text)
}

// literal converts a word of a filter to a JSON value.
func literal(word string) any {
	switch word {
	case "true", "false":
		return word == "true"
	}
	if number, err := strconv.ParseInt(word, 10, 64); err == nil {
		return number
	}
	if number, err := strconv.ParseFloat(word, 64); err == nil {
		return number
	}
	return word
}

// firstValue returns the first value at a path, and reports whether there is one.
func (p jsonPath) firstValue(value any) (any, bool) {
	if len(p) == 0 {
		return value, true
	}
	step, rest := &p[0], p[1:]
	switch step.kind {
	case byName:
		fields, _ := value.(map[string]any)
		if inner, found := fields[step.name]; found {
			return rest.firstValue(inner)
		}
		return nil, false
	case byIndex:
		elements, _ := value.([]any)
		at := step.index
		if at < 0 {
			at += len(elements)
		}
		if at < 0 || at >= len(elements) {
			return nil, false
		}
		return rest.firstValue(elements[at])
	}
	elements, _ := value.([]any)
	if fields, isMap := value.(map[string]any); isMap {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			elements = append(elements, fields[name])
		}
	}
	for _, element := range elements {
		if step.kind == matchingParts && !step.matches(element) {
			continue
		}
		if found, ok := rest.firstValue(element); ok {
			return found, true
		}
	}
	return nil, false
}

func (s *pathStep) matches(element any) bool {
	found, ok := s.operand.firstValue(element)
	switch found.(type) {
	case string, bool, int64, float64:
		return ok && (found == s.equals) != s.negated
	}
	return false
}
