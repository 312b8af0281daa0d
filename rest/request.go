package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Request is one request in the making. Its setters return it, so that they
// can be chained; the first one that is given something wrong fixes the error
// that the terminal call (Do, DoRaw, Stream, Watch) returns without sending
// anything.
//
// A Request is for one goroutine. It may be sent more than once, unless its
// body is a stream.
type Request struct {
	client  *Client
	method  string
	version schema.GroupVersion // zero after AbsPath and RequestURI
	target  target
	params  url.Values
	header  http.Header
	body    body
	form    types.PatchType // of a PATCH

	timeout    time.Duration
	maxRetries int
	limiter    RateLimiter    // nil: the client's
	warnings   WarningHandler // nil: the client's

	// verb is what the API calls the request; "" leaves it to apiVerb.
	verb string
	// parts says that the answer is used as it arrives: timeout bounds the
	// wait for each part of it.
	parts bool

	err error
}

// defaultMaxRetries is how often a request is repeated at most.
const defaultMaxRetries = 10

func newRequest(client *Client, method string) *Request {
	r := &Request{client: client, method: method, timeout: client.config.Timeout, maxRetries: defaultMaxRetries}
	if method == "" || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		r.failf("Verb", "%q is not an HTTP method in upper case", method)
	}
	return r
}

// bind makes the request one below the path of a group and version.
func (r *Request) bind(gv schema.GroupVersion) *Request {
	root := []string{"apis", gv.Group, gv.Version}
	if gv.Group == "" {
		root = []string{"api", gv.Version}
	}
	for _, s := range root {
		if err := checkSegment(s); err != nil {
			return r.failf("GroupVersion", "the group %q and version %q: %w", gv.Group, gv.Version, err)
		}
	}
	r.version, r.target.root = gv, root
	return r
}

func (r *Request) patch(form types.PatchType) *Request {
	if form == "" {
		return r.failf("Patch", "the type of the patch is empty")
	}
	r.form = form
	return r
}

// failf keeps the first error.
func (r *Request) failf(setter, format string, args ...any) *Request {
	if r.err == nil {
		r.err = fmt.Errorf(setter+": "+format, args...)
	}
	return r
}

// Prefix adds segments after the group and version, before the namespace.
func (r *Request) Prefix(segments ...string) *Request {
	more, slash, err := splitPaths(segments)
	if err != nil {
		return r.failf("Prefix", "%w", err)
	}
	r.target.root, r.target.rootSlash = append(r.target.root, more...), slash
	return r
}

// Suffix adds segments after everything else.
func (r *Request) Suffix(segments ...string) *Request {
	more, slash, err := splitPaths(segments)
	if err != nil {
		return r.failf("Suffix", "%w", err)
	}
	r.target.suffix, r.target.suffixSlash = append(r.target.suffix, more...), slash
	return r
}

// AbsPath takes the place of the group's and version's path, and of what Prefix
// has added to it. It is absolute on the API server: a path in Config.Host
// stays in front. A slash at the end is kept.
func (r *Request) AbsPath(segments ...string) *Request {
	root, slash, err := splitPaths(segments)
	if err != nil {
		return r.failf("AbsPath", "%w", err)
	}
	r.version = schema.GroupVersion{}
	r.target.root, r.target.rootSlash = root, slash
	return r
}

// RequestURI is AbsPath and the parameters in one, as they stand in a request:
// /api/v1/pods?limit=5. It takes the place of the parameters that were set.
func (r *Request) RequestURI(uri string) *Request {
	root, slash, query, err := splitURI(uri)
	if err != nil {
		return r.failf("RequestURI", "%w", err)
	}
	r.version = schema.GroupVersion{}
	r.target.root, r.target.rootSlash, r.params = root, slash, query
	return r
}

// Namespace that the resource is in; "" is all of them.
func (r *Request) Namespace(namespace string) *Request {
	if r.target.namespaced && r.target.namespace != namespace {
		return r.failf("Namespace", "it is %q already, and %q now", r.target.namespace, namespace)
	}
	if namespace != "" {
		if err := checkSegment(namespace); err != nil {
			return r.failf("Namespace", "%w", err)
		}
	}
	r.target.namespaced, r.target.namespace = true, namespace
	return r
}

// NamespaceIfScoped is Namespace when scoped, and nothing otherwise.
func (r *Request) NamespaceIfScoped(namespace string, scoped bool) *Request {
	if !scoped {
		return r
	}
	return r.Namespace(namespace)
}

// Resource is the plural in lower case: pods.
func (r *Request) Resource(resource string) *Request {
	if r.target.resource != "" && r.target.resource != resource {
		return r.failf("Resource", "it is %q already, and %q now", r.target.resource, resource)
	}
	if err := checkSegment(resource); err != nil {
		return r.failf("Resource", "%w", err)
	}
	if lower := strings.ToLower(resource); lower != resource {
		return r.failf("Resource", "%q is not in lower case; is it %q?", resource, lower)
	}
	r.target.resource = resource
	return r
}

// Name of one object.
func (r *Request) Name(name string) *Request {
	if r.target.name != "" && r.target.name != name {
		return r.failf("Name", "it is %q already, and %q now", r.target.name, name)
	}
	if err := checkSegment(name); err != nil {
		return r.failf("Name", "%w", err)
	}
	r.target.name = name
	return r
}

// SubResource of the named object: status, scale, log.
func (r *Request) SubResource(segments ...string) *Request {
	if before := r.target.subresource; before != nil && strings.Join(before, "/") != strings.Join(segments, "/") {
		return r.failf("SubResource", "it is %q already, and %q now", strings.Join(before, "/"), strings.Join(segments, "/"))
	}
	for _, s := range segments {
		if err := checkSegment(s); err != nil {
			return r.failf("SubResource", "%w", err)
		}
	}
	r.target.subresource = slices.Clone(segments)
	return r
}

// Param adds a parameter to the query. One that is there already is kept as
// well.
func (r *Request) Param(name, value string) *Request {
	if name == "" {
		return r.failf("Param", "the name of the parameter is empty")
	}
	if r.params == nil {
		r.params = url.Values{}
	}
	r.params.Add(name, value)
	return r
}

// VersionedParams adds the fields of an options struct as parameters, such as
// &metav1.ListOptions{} with metav1.ParameterCodec.
func (r *Request) VersionedParams(options runtime.Object, codec runtime.ParameterCodec) *Request {
	return r.SpecificallyVersionedParams(options, codec, r.version)
}

// SpecificallyVersionedParams is VersionedParams with the options in the form
// of a given version.
func (r *Request) SpecificallyVersionedParams(options runtime.Object, codec runtime.ParameterCodec, version schema.GroupVersion) *Request {
	if isNil(options) || isNil(codec) {
		return r.failf("VersionedParams", "the options or the codec are nil")
	}
	params, err := codec.EncodeParameters(options, version)
	if err != nil {
		return r.failf("VersionedParams", "encode %T: %w", options, err)
	}
	return r.addParams(params)
}

// addParams is Param for each of many.
func (r *Request) addParams(params url.Values) *Request {
	for name, values := range params {
		for _, value := range values {
			r.Param(name, value)
		}
	}
	return r
}

// SetHeader sets a header of the request, in the place of what it was. Without
// values it is not sent.
func (r *Request) SetHeader(key string, values ...string) *Request {
	if !isToken(key) {
		return r.failf("SetHeader", "%q is not the name of a header", key)
	}
	for _, value := range values {
		if strings.ContainsFunc(value, isControl) {
			// The value may be a secret.
			return r.failf("SetHeader", "the value of %s contains a control character", key)
		}
	}
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header[textproto.CanonicalMIMEHeaderKey(key)] = values
	return r
}

// Timeout takes the place of Config.Timeout. It bounds Do and DoRaw from their
// start to the last byte of the answer, retries included, and is sent along so
// that the server can stop as well; of Stream and Watch it bounds the wait for
// the answer to begin. 0 is no bound.
func (r *Request) Timeout(d time.Duration) *Request {
	if d < 0 {
		return r.failf("Timeout", "%v is negative", d)
	}
	r.timeout = d
	return r
}

// MaxRetries is how often the request is repeated at most, 10 unless set; 0 is
// never. The package comment says when a request is repeated at all.
func (r *Request) MaxRetries(n int) *Request {
	r.maxRetries = max(n, 0)
	return r
}

// Throttle takes the place of the client's limiter for this request; nil is the
// client's. It holds watches back as well, which the client's does not.
func (r *Request) Throttle(limiter RateLimiter) *Request {
	r.limiter = limiter
	return r
}

// WarningHandler takes the place of the client's for this request; nil is the
// client's.
func (r *Request) WarningHandler(handler WarningHandler) *Request {
	r.warnings = handler
	return r
}

// Error is the first error that a setter has run into.
func (r *Request) Error() error { return r.err }

// URL that the request goes to, as far as it has been built.
func (r *Request) URL() *url.URL { return r.url(!r.parts) }

// url adds the timeout for the server where it bounds the whole answer.
func (r *Request) url(whole bool) *url.URL {
	segments, slash := r.target.segments()
	at := below(r.client.conn.base, segments, slash)
	at.RawQuery = r.params.Encode()
	if whole && r.timeout > 0 && !r.params.Has("timeout") {
		if at.RawQuery != "" {
			at.RawQuery += "&"
		}
		at.RawQuery += "timeout=" + url.QueryEscape(r.timeout.String())
	}
	return at
}

// check is what can be said only of the request as a whole.
func (r *Request) check() error {
	switch t := &r.target; {
	case r.err != nil:
		return fmt.Errorf("%s: %w", r.what(), r.err)
	case len(t.subresource) > 0 && t.resource == "" && t.name == "":
		return fmt.Errorf("%s: a subresource needs a resource", r.what())
	case t.name != "" && t.resource == "":
		return fmt.Errorf("%s: the name %q needs a resource", r.what(), t.name)
	case t.namespaced && t.namespace == "" && t.name != "":
		return fmt.Errorf("%s: the namespace is empty, and one object is asked for by name", r.what())
	case t.namespaced && t.namespace == "" && r.method == http.MethodPost:
		return fmt.Errorf("%s: the namespace is empty, and an object is created in one", r.what())
	case r.method == http.MethodPatch && r.form == "" && r.header.Get("Content-Type") == "":
		return errors.New(r.what() + ": a patch needs its type: use Patch, or set the Content-Type")
	}
	return nil
}

func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func:
		return of.IsNil()
	}
	return false
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// isToken is whether s can be the name of a header.
func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.ContainsRune(marks, c))
	})
}
