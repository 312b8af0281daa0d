package column

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jsonPath is where in an object something is: the simple paths that printer
// columns use, such as .spec.replicas, .metadata.labels['a.b'], .spec.ports[0],
// .spec.ports[*].port and .status.conditions[?(@.type=="Ready")].status.
type jsonPath []pathStep

// pathStep goes from a value to some of those in it: one of a name, one at an
// index, all of them, or those for which a comparison holds.
type pathStep struct {
	name  string
	index int
	how   stepKind
	// where leads from an element to what is compared with equals; not is for
	// those that differ.
	where  jsonPath
	equals any
	not    bool
}

type stepKind uint8

const (
	byName stepKind = iota
	byIndex
	toAll
	toMatching
)

// maxPath bounds the length of a path.
const maxPath = 4 << 10

func parseJSONPath(text string) (jsonPath, error) {
	rest := strings.TrimPrefix(text, "$")
	if len(text) > maxPath {
		return nil, fmt.Errorf("parse JSONPath: it is longer than %d bytes", maxPath)
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

// parseSteps reads steps for as long as there are some.
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
				return nil, "", fmt.Errorf("a name is missing before %q", text)
			}
			step, text = pathStep{name: text[:end]}, text[end:]
			if step.name == "*" {
				step = pathStep{how: toAll}
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

// parseBracket reads what follows an opening bracket, with the closing one.
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
			return step, "", fmt.Errorf("a bracket is not closed after %q", name)
		}
		return pathStep{name: name}, rest, nil
	}
	inside, rest, found := strings.Cut(text, "]")
	if !found {
		return step, "", fmt.Errorf("a bracket is not closed: %q", text)
	}
	if inside == "*" {
		return pathStep{how: toAll}, rest, nil
	}
	at, err := strconv.Atoi(inside)
	if err != nil {
		return step, "", fmt.Errorf("%q is no index", inside)
	}
	return pathStep{how: byIndex, index: at}, rest, nil
}

// parseFilter reads @.type=="Ready")].
func parseFilter(text string) (step pathStep, rest string, err error) {
	step.how = toMatching
	text, found := strings.CutPrefix(strings.TrimLeft(text, " "), "@")
	if !found {
		return step, "", fmt.Errorf("a filter begins with @, and not with %q", text)
	}
	if step.where, text, err = parseSteps(text); err != nil {
		return step, "", err
	}
	text = strings.TrimLeft(text, " ")
	switch {
	case strings.HasPrefix(text, "=="):
	case strings.HasPrefix(text, "!="):
		step.not = true
	default:
		return step, "", fmt.Errorf("a filter compares by == or !=, and not by %q", text)
	}
	text = strings.TrimLeft(text[2:], " ")
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		if step.equals, text, err = parseQuoted(text); err != nil {
			return step, "", err
		}
	} else {
		end := strings.IndexAny(text, " )")
		if end < 0 {
			return step, "", fmt.Errorf("a filter is not closed: %q", text)
		}
		step.equals, text = literal(text[:end]), text[end:]
	}
	if rest, found = strings.CutPrefix(strings.TrimLeft(text, " "), ")]"); !found {
		return step, "", fmt.Errorf("a filter is not closed: %q", text)
	}
	return step, rest, nil
}

// parseQuoted reads a text in single or double quotes.
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
	return "", "", fmt.Errorf("a quote is not closed: %s", text)
}

// literal is a word of a filter as JSON would have it.
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

// first is the first value at a path, and whether there is any.
func (p jsonPath) first(value any) (any, bool) {
	if len(p) == 0 {
		return value, true
	}
	step, rest := &p[0], p[1:]
	switch step.how {
	case byName:
		fields, _ := value.(map[string]any)
		if inner, found := fields[step.name]; found {
			return rest.first(inner)
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
		return rest.first(elements[at])
	}
	elements, _ := value.([]any)
	if fields, isMap := value.(map[string]any); isMap {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			elements = append(elements, fields[name])
		}
	}
	for _, element := range elements {
		if step.how == toMatching && !step.holds(element) {
			continue
		}
		if found, ok := rest.first(element); ok {
			return found, true
		}
	}
	return nil, false
}

func (s *pathStep) holds(element any) bool {
	found, ok := s.where.first(element)
	switch found.(type) {
	case string, bool, int64, float64:
		return ok && (found == s.equals) != s.not
	}
	return false
}
