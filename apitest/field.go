package apitest

import "strings"

// at is the value at a path such as spec.replicas, nil if there is none.
func at(object map[string]any, path string) any {
	var value any = object
	for name := range strings.SplitSeq(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

// setAt puts a value at a path and makes the objects on the way; nil removes it.
func setAt(object map[string]any, value any, path ...string) {
	last := len(path) - 1
	for _, name := range path[:last] {
		next, ok := object[name].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			next = map[string]any{}
			object[name] = next
		}
		object = next
	}
	if value == nil {
		delete(object, path[last])
		return
	}
	object[path[last]] = value
}

// keep takes a field from current.
func keep(next, current map[string]any, name string) {
	if value, ok := current[name]; ok {
		next[name] = value
	} else {
		delete(next, name)
	}
}

// keepAt takes what is at a path from current.
func keepAt(next, current map[string]any, path string) {
	setAt(next, at(current, path), strings.Split(path, ".")...)
}

// onlyAt takes everything from current but what is at some paths, and the
// managed fields.
func onlyAt(next, current map[string]any, paths []string) {
	written := map[string]any{}
	for _, path := range append(paths, "metadata.managedFields") {
		written[path] = at(next, path)
	}
	for name := range next {
		if _, still := current[name]; !still {
			delete(next, name)
		}
	}
	for name, value := range current {
		next[name] = value
	}
	// What is changed below must not be current's own.
	for _, path := range append(paths, "metadata.managedFields") {
		unshare(next, path)
		setAt(next, written[path], strings.Split(path, ".")...)
	}
}

// unshare copies the objects on the way to a path.
func unshare(object map[string]any, path string) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		fields, ok := object[name].(map[string]any)
		if !ok {
			return
		}
		copied := make(map[string]any, len(fields)+1)
		for name, value := range fields {
			copied[name] = value
		}
		object[name], object = copied, copied
	}
}

// textsAt is the list of strings at a path.
func textsAt(object map[string]any, path ...string) (texts []string) {
	list, _ := at(object, strings.Join(path, ".")).([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// anySlice is a list as objects hold it, nil for an empty one.
func anySlice(texts []string) any {
	if len(texts) == 0 {
		return nil
	}
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
