package debug

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// A query is a parsed request. All parameters are in the query string, so the handler
// works under any path, and keys may contain any characters.
type query struct {
	// informer is an ID; "" selects all informers.
	informer string
	// key selects one object if hasKey is true.
	key    string
	hasKey bool
	// prefix, search, after, limit and objects select a page of keys.
	prefix, search, after string
	limit                 int
	objects               bool
	// file is the name of the script or the style sheet of the HTML page.
	file string
	// format is html, json or text; "" means by the Accept header.
	format format
}

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// parseQuery returns an error for invalid parameters, since queries are often written
// by hand.
func parseQuery(raw string) (query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return query{}, fmt.Errorf("the query string: %w", err)
	}
	q := query{
		informer: values.Get("informer"),
		key:      values.Get("key"),
		hasKey:   values.Has("key"),
		prefix:   values.Get("prefix"),
		search:   strings.TrimSpace(values.Get("search")),
		after:    values.Get("continue"),
		limit:    defaultLimit,
		format:   format(values.Get("format")),
		file:     values.Get("file"),
	}
	if !q.format.valid() {
		return q, fmt.Errorf("invalid format %q: use html, json or text", string(q.format))
	}
	if text := values.Get("limit"); text != "" {
		if q.limit, err = strconv.Atoi(text); err != nil || q.limit < 1 {
			return q, fmt.Errorf("invalid limit %q: use a number from 1 to %d", text, maxLimit)
		}
		q.limit = min(q.limit, maxLimit)
	}
	if text := values.Get("objects"); text != "" {
		if q.objects, err = strconv.ParseBool(text); err != nil {
			return q, fmt.Errorf("invalid objects %q: use true or false", text)
		}
	}
	if q.informer == "" && (q.hasKey || q.prefix != "" || q.search != "" || q.after != "" || q.objects) {
		return q, fmt.Errorf("the parameter informer is missing")
	}
	return q, nil
}

// String returns the query string.
func (q query) String() string {
	values := url.Values{}
	set := func(name, value string, wanted bool) {
		if wanted {
			values.Set(name, value)
		}
	}
	set("informer", q.informer, q.informer != "")
	set("key", q.key, q.hasKey)
	set("prefix", q.prefix, q.prefix != "")
	set("search", q.search, q.search != "")
	set("continue", q.after, q.after != "")
	set("limit", strconv.Itoa(q.limit), q.limit != defaultLimit && q.limit != 0)
	set("objects", "true", q.objects)
	set("format", string(q.format), q.format != "")
	return values.Encode()
}
