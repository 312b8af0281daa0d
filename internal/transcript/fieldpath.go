package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// step is one part of a path: a key, and a filter for the elements of the list there.
type step struct {
	key                     string
	filterPath, filterValue string
}

var stepPattern = regexp.MustCompile(`^([^.\[\]]+)(?:\[([^=\]]+)=([^\]]*)\])?(?:\.|$)`)

// parsePath parses a.b[c.d=x].e.
func parsePath(path string) (steps []step, err error) {
	for rest := path; rest != ""; {
		m := stepPattern.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("invalid path: %q", path)
		}
		steps = append(steps, step{key: m[1], filterPath: m[2], filterValue: m[3]})
		rest = rest[len(m[0]):]
	}
	return steps, nil
}

// selectFields returns the parts of a value that the paths name. Paths apply to each
// element of a list on the way; a filter keeps the matching elements.
func selectFields(value any, paths [][]step) any {
	switch value := value.(type) {
	case []any:
		kept := make([]any, 0, len(value))
		for _, item := range value {
			kept = append(kept, selectFields(item, paths))
		}
		return kept
	case map[string]any:
		kept := map[string]any{}
		for key, rest := range groupByKey(paths) {
			field, ok := value[key]
			if !ok {
				continue
			}
			field = filterList(field, rest)
			if tails := remainders(rest); tails != nil {
				field = selectFields(field, tails)
			}
			kept[key] = field
		}
		return kept
	}
	return value
}

// remainder is the rest of a path after its first step, and the filter of that step.
type remainder struct {
	filter step
	steps  []step
}

func groupByKey(paths [][]step) map[string][]remainder {
	grouped := map[string][]remainder{}
	for _, path := range paths {
		if len(path) > 0 {
			grouped[path[0].key] = append(grouped[path[0].key], remainder{path[0], path[1:]})
		}
	}
	return grouped
}

// remainders returns nil if one of the paths ends here: then the whole value is shown.
func remainders(tails []remainder) (paths [][]step) {
	for _, tail := range tails {
		if len(tail.steps) == 0 {
			return nil
		}
		paths = append(paths, tail.steps)
	}
	return paths
}

// filterList keeps the elements of a list that match one of the filters.
func filterList(value any, filters []remainder) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	kept := []any{}
	for _, item := range list {
		if slices.ContainsFunc(filters, func(t remainder) bool { return t.filter.matches(item) }) {
			kept = append(kept, item)
		}
	}
	return kept
}

func (s step) matches(item any) bool {
	if s.filterPath == "" {
		return true
	}
	found, ok := lookup(item, strings.Split(s.filterPath, "."))
	return ok && fmt.Sprint(found) == s.filterValue
}

// lookup returns the field at a path of keys; a number is an index of a list.
func lookup(value any, keys []string) (any, bool) {
	for _, key := range keys {
		switch container := value.(type) {
		case map[string]any:
			field, ok := container[key]
			if !ok {
				return nil, false
			}
			value = field
		case []any:
			var i int
			if _, err := fmt.Sscanf(key, "%d", &i); err != nil || i < 0 || i >= len(container) {
				return nil, false
			}
			value = container[i]
		default:
			return nil, false
		}
	}
	return value, true
}
