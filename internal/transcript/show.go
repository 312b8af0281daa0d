package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// step is one part of a path: a key, and which elements of the list there.
type step struct {
	key         string
	where, what string
}

var stepForm = regexp.MustCompile(`^([^.\[\]]+)(?:\[([^=\]]+)=([^\]]*)\])?(?:\.|$)`)

// parsePath reads a.b[c.d=x].e.
func parsePath(path string) (steps []step, err error) {
	for rest := path; rest != ""; {
		m := stepForm.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("not a path: %q", path)
		}
		steps = append(steps, step{key: m[1], where: m[2], what: m[3]})
		rest = rest[len(m[0]):]
	}
	return steps, nil
}

// selected keeps of a value what the paths name. Lists on the way are gone
// through element by element; a filter keeps the elements that pass it.
func selected(value any, paths [][]step) any {
	switch value := value.(type) {
	case []any:
		kept := make([]any, 0, len(value))
		for _, item := range value {
			kept = append(kept, selected(item, paths))
		}
		return kept
	case map[string]any:
		kept := map[string]any{}
		for key, rest := range byKey(paths) {
			field, ok := value[key]
			if !ok {
				continue
			}
			field = filtered(field, rest)
			if tails := tailsOf(rest); tails != nil {
				field = selected(field, tails)
			}
			kept[key] = field
		}
		return kept
	}
	return value
}

// tail is what is left of a path after its first step, and that step's filter.
type tail struct {
	filter step
	steps  []step
}

func byKey(paths [][]step) map[string][]tail {
	grouped := map[string][]tail{}
	for _, path := range paths {
		if len(path) > 0 {
			grouped[path[0].key] = append(grouped[path[0].key], tail{path[0], path[1:]})
		}
	}
	return grouped
}

// tailsOf is nil when one of the paths ends here: then all is shown.
func tailsOf(tails []tail) (paths [][]step) {
	for _, tail := range tails {
		if len(tail.steps) == 0 {
			return nil
		}
		paths = append(paths, tail.steps)
	}
	return paths
}

// filtered keeps the elements of a list that one of the filters lets pass.
func filtered(value any, by []tail) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	kept := []any{}
	for _, item := range list {
		if slices.ContainsFunc(by, func(t tail) bool { return t.filter.passes(item) }) {
			kept = append(kept, item)
		}
	}
	return kept
}

func (s step) passes(item any) bool {
	if s.where == "" {
		return true
	}
	found, ok := lookup(item, strings.Split(s.where, "."))
	return ok && fmt.Sprint(found) == s.what
}

// lookup is the field at a path of keys; a number is a place in a list.
func lookup(value any, keys []string) (any, bool) {
	for _, key := range keys {
		switch at := value.(type) {
		case map[string]any:
			field, ok := at[key]
			if !ok {
				return nil, false
			}
			value = field
		case []any:
			var i int
			if _, err := fmt.Sscanf(key, "%d", &i); err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			value = at[i]
		default:
			return nil, false
		}
	}
	return value, true
}
