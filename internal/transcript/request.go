package transcript

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// maxAnswer bounds the number of bytes read of one response.
const maxAnswer = 64 << 20

// request is the request of an exchange, with values expanded.
type request struct {
	method, target string
	headers        http.Header
	body           string
}

// answer is a response.
type answer struct {
	path    string
	status  int
	headers http.Header
	body    []byte
	object  any // nil if the body is not JSON
}

// contentTypes are the default content types, by method.
var contentTypes = map[string]string{http.MethodPatch: "application/merge-patch+json"}

func (p *player) compose(e *Exchange) (*request, error) {
	target, err := p.values.expand(e.Target)
	if err != nil {
		return nil, err
	}
	body, err := p.values.expand(e.body)
	if err != nil {
		return nil, err
	}
	headers := http.Header{
		"User-Agent":      {"transcript/1"},
		"Accept":          {"application/json"},
		"Accept-Encoding": {"identity"},
	}
	if body != "" {
		headers.Set("Content-Type", "application/json")
		if special, ok := contentTypes[e.Verb]; ok {
			headers.Set("Content-Type", special)
		}
	}
	if token := p.token(e); token != "" {
		headers.Set("Authorization", "Bearer "+token)
	}
	for _, line := range e.headers {
		key, value, _ := strings.Cut(line, ": ")
		if value, err = p.values.expand(value); err != nil {
			return nil, err
		}
		headers.Set(key, value)
	}
	return &request{e.Verb, escape(target), headers, body}, nil
}

func (p *player) token(e *Exchange) string {
	user := "admin"
	if named := e.options["as"]; len(named) > 0 {
		user = named[0]
	}
	if user == "none" {
		return ""
	}
	if token, ok := p.Tokens[user]; ok {
		return token
	}
	return "no-such-token"
}

// escape percent-encodes blanks and other characters that a request line must not
// contain.
func escape(target string) string {
	var b strings.Builder
	for _, c := range []byte(target) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// do sends the request and returns the response with its body open.
func (p *player) do(ctx context.Context, r *request) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.method, p.URL+r.target, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	request.Header = r.headers.Clone()
	return p.http.Do(request)
}

func (p *player) send(ctx context.Context, r *request) (*answer, error) {
	response, err := p.do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return readAnswer(r.target, response)
}

func readAnswer(path string, response *http.Response) (*answer, error) {
	var body io.Reader = response.Body
	if response.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("read the gzip body: %w", err)
		}
		body = unzipped
	}
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	a := &answer{path: path, status: response.StatusCode, headers: response.Header, body: text}
	a.object, _ = decode(text)
	return a, nil
}

// decode decodes a text that is one JSON value, and keeps its numbers as written.
func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the JSON value")
	}
	return value, nil
}

// renderAnswer formats a response as in the file.
func (p *player) renderAnswer(e *Exchange, a *answer) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	for _, name := range e.options["headers"] {
		for _, value := range a.headers.Values(name) {
			fmt.Fprintf(&b, "< %s: %s\n", name, p.normal.text(value))
		}
	}
	switch {
	case a.object != nil:
		value, err := p.visible(e, a.object, false)
		if err != nil {
			return "", err
		}
		b.WriteString(render(value, 0) + "\n")
	case len(a.body) > 0:
		b.WriteString(quoteText(p.normal.text(printable(a.body))))
	}
	return b.String(), nil
}

// printable replaces binary data.
func printable(body []byte) string {
	if slices.ContainsFunc(body, func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f }) {
		return "(binary)"
	}
	return string(body)
}

// visible returns the parts of an object that a script shows, normalized.
func (p *player) visible(e *Exchange, object any, bookmark bool) (any, error) {
	object = deepCopy(object)
	collection := bookmark
	if top, ok := object.(map[string]any); ok {
		collection = collection || isCollection(top)
	}
	forManagedFields(object, func(meta map[string]any) {
		if !e.has("managed") {
			delete(meta, "managedFields")
			return
		}
		sortManagers(meta)
	})
	if shown := e.options["show"]; len(shown) > 0 {
		var paths [][]step
		for _, path := range shown {
			steps, err := parsePath(path)
			if err != nil {
				return nil, err
			}
			paths = append(paths, steps)
		}
		object = selectFields(object, paths)
	}
	return p.normal.value(object, collection), nil
}

// forManagedFields calls f for each metadata in a value.
func forManagedFields(value any, f func(meta map[string]any)) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			forManagedFields(item, f)
		}
	case map[string]any:
		if meta, ok := value["metadata"].(map[string]any); ok {
			f(meta)
		}
		for _, field := range value {
			forManagedFields(field, f)
		}
	}
}

// sortManagers sorts the managers so that their order does not depend on whether a
// second has passed between two writes.
func sortManagers(meta map[string]any) {
	entries, _ := meta["managedFields"].([]any)
	sortKey := func(entry any) string {
		var key []string
		for _, field := range []string{"operation", "manager", "subresource"} {
			value, _ := lookup(entry, []string{field})
			key = append(key, fmt.Sprint(value))
		}
		return strings.Join(key, " ")
	}
	slices.SortStableFunc(entries, func(a, b any) int { return strings.Compare(sortKey(a), sortKey(b)) })
}

func deepCopy(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = deepCopy(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, field := range value {
			object[key] = deepCopy(field)
		}
		return object
	}
	return value
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
