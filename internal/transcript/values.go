package transcript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// values are the values that a script can use between < and >.
type values struct {
	namespace string
	saved     map[string]any
}

var (
	referencePattern = regexp.MustCompile(`<([a-z][a-z0-9]*)((?:\.[A-Za-z0-9]+)*)([+-][0-9]{1,12})?>`)
	repeatPattern    = regexp.MustCompile(`<repeat:([^:>]+):([0-9]{1,8})>`)
)

// abbreviations are short names of common fields.
var abbreviations = map[string]string{
	".rv": ".metadata.resourceVersion", ".uid": ".metadata.uid",
	".continue": ".metadata.continue", ".name": ".metadata.name",
}

// maxRepeated bounds the length of a repeated text.
const maxRepeated = 8 << 20

// expand replaces the names of values by the values.
func (v *values) expand(text string) (string, error) {
	var firstErr error
	fail := func(format string, args ...any) string {
		if firstErr == nil {
			firstErr = fmt.Errorf(format, args...)
		}
		return ""
	}
	text = referencePattern.ReplaceAllStringFunc(text, func(name string) string {
		m := referencePattern.FindStringSubmatch(name)
		value, err := v.value(m[1], m[2])
		if err != nil {
			return fail("%s: %w", name, err)
		}
		if m[3] == "" {
			return value
		}
		offset, _ := strconv.ParseInt(m[3], 10, 64)
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fail("%s: %q is not a number", name, value)
		}
		return strconv.FormatInt(number+offset, 10)
	})
	text = repeatPattern.ReplaceAllStringFunc(text, func(name string) string {
		m := repeatPattern.FindStringSubmatch(name)
		times, _ := strconv.Atoi(m[2])
		if times*len(m[1]) > maxRepeated {
			return fail("%s: more than %d bytes", name, maxRepeated)
		}
		return strings.Repeat(m[1], times)
	})
	return text, firstErr
}

func (v *values) value(name, path string) (string, error) {
	if name == "ns" && path == "" {
		return v.namespace, nil
	}
	value, ok := v.saved[name]
	if !ok {
		return "", fmt.Errorf("no value is saved as %s", name)
	}
	if full, ok := abbreviations[path]; ok {
		path = full
	}
	if path != "" {
		if value, ok = lookup(value, strings.Split(path[1:], ".")); !ok {
			return "", fmt.Errorf("%s has no field %s", name, path)
		}
	}
	if text, ok := value.(string); ok {
		return text, nil
	}
	return flatten(value), nil
}
