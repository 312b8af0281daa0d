package apitest

import (
	"fmt"
	"strings"
)

// Match says which requests are meant. An empty field is any; the zero value is
// every request.
type Match struct {
	// Verb is get, list, watch, create, update, patch, delete or
	// deletecollection; for paths that are not of resources the method in small
	// letters.
	Verb string
	// Group of the resource, "core" for the one without a name.
	Group                 string
	Resource, Subresource string
	// Namespace and Name of the object, or of what is listed. A list of all
	// namespaces has none, and is meant only where this is empty.
	Namespace, Name string
	// Path is how the path begins.
	Path string
	// UserAgent is a part of it: it tells two clients of a test apart.
	UserAgent string
	// Where is asked last, if all else fits.
	Where func(Request) bool
}

func (m Match) matches(r *Request) bool {
	group := r.Group
	if m.Group == "core" && r.Resource != "" && group == "" {
		group = "core"
	}
	for _, field := range [...][2]string{
		{m.Verb, r.Verb}, {m.Group, group}, {m.Resource, r.Resource}, {m.Subresource, r.Subresource},
		{m.Namespace, r.Namespace}, {m.Name, r.Name},
	} {
		if field[0] != "" && field[0] != field[1] {
			return false
		}
	}
	return strings.HasPrefix(r.Path, m.Path) &&
		strings.Contains(r.UserAgent, m.UserAgent) &&
		(m.Where == nil || m.Where(*r))
}

// String says it in words: "watch pods in namespace a".
func (m Match) String() string {
	words := []string{m.Verb}
	if m.Verb == "" {
		words[0] = "any"
	}
	resource := m.Resource
	if m.Subresource != "" {
		resource += "/" + m.Subresource
	}
	switch {
	case resource != "" && m.Group != "":
		words = append(words, resource+"."+m.Group)
	case resource != "":
		words = append(words, resource)
	case m.Group != "":
		words = append(words, "resource of "+m.Group)
	case m.Verb == "":
		words = append(words, "request")
	}
	for _, field := range [...][2]string{
		{"named %s", m.Name}, {"in namespace %s", m.Namespace}, {"below %s", m.Path}, {"by %q", m.UserAgent},
	} {
		if field[1] != "" {
			words = append(words, fmt.Sprintf(field[0], field[1]))
		}
	}
	if m.Where != nil {
		words = append(words, "where a function says so")
	}
	return strings.Join(words, " ")
}
