package rest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// target is where a request goes below the server's address, piece by piece.
// Each piece has been through checkSegment, so that joining them with slashes
// gives a path that decodes to exactly these pieces.
type target struct {
	// root comes first: the group and version, or what AbsPath has set.
	root []string
	// suffix comes last.
	suffix []string
	// rootSlash and suffixSlash keep a slash that the caller has written at
	// the end: to some servers /healthz/ is not /healthz.
	rootSlash, suffixSlash bool

	namespace, resource, name string
	// namespaced says that Namespace was called, perhaps with "".
	namespaced  bool
	subresource []string
}

// segments of the path in their order, and whether it ends in a slash.
func (t *target) segments() (path []string, slash bool) {
	path, slash = append(path, t.root...), t.rootSlash
	add := func(pieces ...string) { path, slash = append(path, pieces...), false }
	if t.namespace != "" {
		add("namespaces", t.namespace)
	}
	if t.resource != "" {
		add(t.resource)
	}
	if t.name != "" {
		add(t.name)
	}
	if len(t.subresource) > 0 {
		add(t.subresource...)
	}
	if len(t.suffix) > 0 || t.suffixSlash {
		add(t.suffix...)
		slash = t.suffixSlash
	}
	return path, slash
}

// below is the URL of these segments under base, whose own path stays in front.
func below(base *url.URL, segments []string, slash bool) *url.URL {
	path := "/" + strings.Join(segments, "/")
	if slash && len(segments) > 0 {
		path += "/"
	}
	at := *base
	at.Path = strings.TrimSuffix(base.Path, "/") + path
	at.RawPath = ""
	if base.RawPath != "" {
		at.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + (&url.URL{Path: path}).EscapedPath()
	}
	return &at
}

// checkSegment says why a piece of a path would be read by the server, or by a
// proxy on the way to it, as something else than this one piece.
func checkSegment(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case leadsElsewhere(s):
		return fmt.Errorf("%q would lead elsewhere", s)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not valid UTF-8", s)
	}
	for i, c := range s {
		if strings.ContainsRune("/%?#", c) || c < ' ' || c == 0x7f {
			// What follows a ? may be a secret.
			return fmt.Errorf("it may not contain %q, as it does after %q", c, s[:i])
		}
	}
	return nil
}

// leadsElsewhere is whether a segment is passed over or leads up, also with
// parameters: some servers and proxies cut these off ("..;x", ";x") before they
// look at it.
func leadsElsewhere(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	return s == "" || s == "." || s == ".."
}

// splitPath takes a path apart at its slashes. One at the beginning counts for
// nothing, one at the end is reported; between them no piece may be empty.
func splitPath(path string) (segments []string, slash bool, err error) {
	slash = strings.HasSuffix(path, "/")
	inner := strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if inner == "" {
		return nil, slash, nil
	}
	segments = strings.Split(inner, "/")
	for i, s := range segments {
		if err := checkSegment(s); err != nil {
			return nil, false, fmt.Errorf("segment %d: %w", i+1, err)
		}
	}
	return segments, slash, nil
}

// splitPaths is splitPath for several parts, one after the other.
func splitPaths(parts []string) (segments []string, slash bool, err error) {
	for _, part := range parts {
		more, s, err := splitPath(part)
		if err != nil {
			return nil, false, err
		}
		segments, slash = append(segments, more...), s
	}
	return segments, slash, nil
}

// splitURI takes the path and the parameters of a request URI, /path?query as
// it stands on the wire. The errors repeat no more of it than a segment: it may
// hold a secret, be it that somebody gave a whole URL.
func splitURI(uri string) (segments []string, slash bool, query url.Values, err error) {
	path, rawQuery, _ := strings.Cut(uri, "?")
	if !strings.HasPrefix(path, "/") {
		return nil, false, nil, errors.New("it does not begin with a slash: want /path?query")
	}
	slash = strings.HasSuffix(path, "/")
	if inner := strings.TrimSuffix(path[1:], "/"); inner != "" {
		segments = strings.Split(inner, "/")
	}
	for i, escaped := range segments {
		s, err := url.PathUnescape(escaped)
		if err == nil {
			err = checkSegment(s)
		}
		if err != nil {
			return nil, false, nil, fmt.Errorf("segment %d: %w", i+1, err)
		}
		segments[i] = s
	}
	query, err = url.ParseQuery(rawQuery)
	if err != nil {
		return nil, false, nil, errors.New("the query cannot be parsed")
	}
	return segments, slash, query, nil
}
