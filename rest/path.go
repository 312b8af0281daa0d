package rest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// target is the path of a request below the server's address, as segments. Each
// segment has passed checkSegment, so that joining them with slashes gives a path
// that decodes to exactly these segments.
type target struct {
	// root is the first part: the group and version, or the path of AbsPath.
	root []string
	// suffix is the last part.
	suffix []string
	// rootSlash and suffixSlash keep a trailing slash of the caller: some servers
	// distinguish /healthz/ from /healthz.
	rootSlash, suffixSlash bool

	namespace, resource, name string
	// namespaced is set if Namespace was called, even with "".
	namespaced  bool
	subresource []string
}

// segments returns the segments in order, and whether the path ends with a slash.
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

// joinURL returns the URL of these segments under base, including the path of base.
func joinURL(base *url.URL, segments []string, slash bool) *url.URL {
	path := "/" + strings.Join(segments, "/")
	if slash && len(segments) > 0 {
		path += "/"
	}
	joined := *base
	joined.Path = strings.TrimSuffix(base.Path, "/") + path
	joined.RawPath = ""
	if base.RawPath != "" {
		joined.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + (&url.URL{Path: path}).EscapedPath()
	}
	return &joined
}

// checkSegment returns an error if the server, or a proxy, could read s as anything
// other than one path segment.
func checkSegment(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case isTraversal(s):
		return fmt.Errorf("%q would change the path", s)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not valid UTF-8", s)
	}
	for i, c := range s {
		if strings.ContainsRune("/%?#", c) || c < ' ' || c == 0x7f {
			// Text after a ? may be a secret.
			return fmt.Errorf("it must not contain %q, as it does after %q", c, s[:i])
		}
	}
	return nil
}

// isTraversal reports whether a segment is empty or refers to this or the parent
// level, also with parameters: some servers and proxies remove these first ("..;x",
// ";x").
func isTraversal(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	return s == "" || s == "." || s == ".."
}

// splitPath splits a path at its slashes. A leading slash is ignored, a trailing
// one is reported; no segment between them may be empty.
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

// splitPaths is like splitPath for several parts in sequence.
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

// splitURI parses a request URI, /path?query, as sent in an HTTP request. Its
// errors quote at most one segment: the URI may contain a secret, for example if it
// is a whole URL.
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
