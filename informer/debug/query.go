package debug

import (
	"fmt"
	"net/url"
	"strconv"
)

// A query is what a request asks for. Everything is in the query string and
// nothing in the path, so the handler works under any path, and keys may hold
// what they like.
type query struct {
	// informer is one's id in the directory; "" asks for all of them.
	informer string
	// key asks for one object, if one is named.
	key   string
	named bool
	// prefix, after, limit and objects choose from the keys of a store.
	prefix, after string
	limit         int
	objects       bool
	// format is html, json or text; "" leaves it to the Accept header.
	format format
}

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// parseQuery says what is wrong with a query string rather than guess: it was
// most likely written by hand.
func parseQuery(raw string) (query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return query{}, fmt.Errorf("the query string: %w", err)
	}
	q := query{
		informer: values.Get("informer"),
		key:      values.Get("key"),
		named:    values.Has("key"),
		prefix:   values.Get("prefix"),
		after:    values.Get("continue"),
		limit:    defaultLimit,
		format:   format(values.Get("format")),
	}
	if !q.format.known() {
		return q, fmt.Errorf("format=%q: it is html, json or text", string(q.format))
	}
	if text := values.Get("limit"); text != "" {
		if q.limit, err = strconv.Atoi(text); err != nil || q.limit < 1 {
			return q, fmt.Errorf("limit=%q: it is a number from 1 to %d", text, maxLimit)
		}
		q.limit = min(q.limit, maxLimit)
	}
	if text := values.Get("objects"); text != "" {
		if q.objects, err = strconv.ParseBool(text); err != nil {
			return q, fmt.Errorf("objects=%q: it is true or false", text)
		}
	}
	if q.informer == "" && (q.named || q.prefix != "" || q.after != "" || q.objects) {
		return q, fmt.Errorf("informer is missing: whose keys?")
	}
	return q, nil
}

// String is the query string that asks for it.
func (q query) String() string {
	values := url.Values{}
	set := func(name, value string, wanted bool) {
		if wanted {
			values.Set(name, value)
		}
	}
	set("informer", q.informer, q.informer != "")
	set("key", q.key, q.named)
	set("prefix", q.prefix, q.prefix != "")
	set("continue", q.after, q.after != "")
	set("limit", strconv.Itoa(q.limit), q.limit != defaultLimit && q.limit != 0)
	set("objects", "true", q.objects)
	set("format", string(q.format), q.format != "")
	return values.Encode()
}
