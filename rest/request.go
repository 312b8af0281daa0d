package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

// Request is a request that is being built. Its setters return it, so that they can
// be chained. The first invalid argument of a setter determines the error that the
// terminal call (Do, DoRaw, Stream, Watch) returns without sending anything.
//
// A Request is used by one goroutine. It may be sent more than once, unless its
// body is a stream.
type Request struct {
	client    *Client
	method    string
	version   schema.GroupVersion // zero after AbsPath and RequestURI
	target    target
	params    url.Values
	header    http.Header
	body      body
	patchType types.PatchType // of a PATCH

	timeout    time.Duration
	maxRetries int
	limiter    RateLimiter    // nil: the client's
	warnings   WarningHandler // nil: the client's

	// verb is the API verb of the request; "" derives it with apiVerb.
	verb string
	// incremental is set if the response is decoded as it arrives: timeout then
	// bounds the wait for each part of it.
	incremental bool

	err error
}

// defaultMaxRetries bounds the number of retries.
const defaultMaxRetries = 10

func newRequest(client *Client, method string) *Request {
	if client == nil {
		client = nilClient()
	}
	r := &Request{client: client, method: method, timeout: client.config.Timeout, maxRetries: defaultMaxRetries}
	if client == nilClient() {
		r.err = ErrNoClient
	}
	if method == "" || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		r.failf("Verb", "%q is not an HTTP method in upper case", method)
	}
	return r
}

// bindGroupVersion sets the path of a group and version.
func (r *Request) bindGroupVersion(gv schema.GroupVersion) *Request {
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

func (r *Request) patch(patchType types.PatchType) *Request {
	if patchType == "" {
		return r.failf("Patch", "the type of the patch is empty")
	}
	r.patchType = patchType
	return r
}

// failf records the first error.
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

// AbsPath replaces the path of the group and version and the segments of Prefix. It
// is absolute on the API server: the path in Config.Host precedes it. A trailing
// slash is kept.
func (r *Request) AbsPath(segments ...string) *Request {
	root, slash, err := splitPaths(segments)
	if err != nil {
		return r.failf("AbsPath", "%w", err)
	}
	r.version = schema.GroupVersion{}
	r.target.root, r.target.rootSlash = root, slash
	return r
}

// RequestURI sets the path and the query from a request URI, such as
// /api/v1/pods?limit=5. It replaces the parameters that were set.
func (r *Request) RequestURI(uri string) *Request {
	root, slash, query, err := splitURI(uri)
	if err != nil {
		return r.failf("RequestURI", "%w", err)
	}
	r.version = schema.GroupVersion{}
	r.target.root, r.target.rootSlash, r.params = root, slash, query
	return r
}

// Namespace sets the namespace; "" is all namespaces.
func (r *Request) Namespace(namespace string) *Request {
	if r.target.namespaced && r.target.namespace != namespace {
		return r.failf("Namespace", "it is already %q, and cannot be set to %q", r.target.namespace, namespace)
	}
	if namespace != "" {
		if err := checkSegment(namespace); err != nil {
			return r.failf("Namespace", "%w", err)
		}
	}
	r.target.namespaced, r.target.namespace = true, namespace
	return r
}

// NamespaceIfScoped calls Namespace if scoped is set, and does nothing otherwise.
func (r *Request) NamespaceIfScoped(namespace string, scoped bool) *Request {
	if !scoped {
		return r
	}
	return r.Namespace(namespace)
}

// Resource sets the plural name of the resource in lower case, such as pods.
func (r *Request) Resource(resource string) *Request {
	if r.target.resource != "" && r.target.resource != resource {
		return r.failf("Resource", "it is already %q, and cannot be set to %q", r.target.resource, resource)
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

// Name sets the name of the object.
func (r *Request) Name(name string) *Request {
	if r.target.name != "" && r.target.name != name {
		return r.failf("Name", "it is already %q, and cannot be set to %q", r.target.name, name)
	}
	if err := checkSegment(name); err != nil {
		return r.failf("Name", "%w", err)
	}
	r.target.name = name
	return r
}

// SubResource sets the subresource of the object, such as status, scale or log.
func (r *Request) SubResource(segments ...string) *Request {
	if before := r.target.subresource; before != nil && strings.Join(before, "/") != strings.Join(segments, "/") {
		return r.failf("SubResource", "it is already %q, and cannot be set to %q", strings.Join(before, "/"), strings.Join(segments, "/"))
	}
	for _, s := range segments {
		if err := checkSegment(s); err != nil {
			return r.failf("SubResource", "%w", err)
		}
	}
	r.target.subresource = slices.Clone(segments)
	return r
}

// Param adds a parameter to the query, in addition to existing ones of the same
// name.
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

// SpecificallyVersionedParams is VersionedParams for a given version of the
// options.
func (r *Request) SpecificallyVersionedParams(options runtime.Object, codec runtime.ParameterCodec, version schema.GroupVersion) *Request {
	if nilcheck.IsNil(options) || nilcheck.IsNil(codec) {
		return r.failf("VersionedParams", "the options or the codec are nil")
	}
	params, err := codec.EncodeParameters(options, version)
	if err != nil {
		return r.failf("VersionedParams", "encode %T: %w", options, err)
	}
	return r.addParams(params)
}

// addParams calls Param for each value.
func (r *Request) addParams(params url.Values) *Request {
	for name, values := range params {
		for _, value := range values {
			r.Param(name, value)
		}
	}
	return r
}

// SetHeader sets a header of the request and replaces its previous value. Without
// values the header is not sent.
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

// Timeout replaces Config.Timeout. For Do and DoRaw it bounds the time from their
// start to the last byte of the response, retries included, and is sent to the
// server; for Stream and Watch it bounds the wait for the response header. 0 is no
// bound.
func (r *Request) Timeout(d time.Duration) *Request {
	if d < 0 {
		return r.failf("Timeout", "%v is negative", d)
	}
	r.timeout = d
	return r
}

// MaxRetries sets the maximum number of retries, 10 by default; 0 disables retries.
// The package comment describes which requests are retried.
func (r *Request) MaxRetries(n int) *Request {
	r.maxRetries = max(n, 0)
	return r
}

// Throttle replaces the client's limiter for this request; nil is the client's.
// Unlike the client's limiter, it also applies to watches.
func (r *Request) Throttle(limiter RateLimiter) *Request {
	r.limiter = limiter
	return r
}

// WarningHandler replaces the client's handler for this request; nil is the
// client's.
func (r *Request) WarningHandler(handler WarningHandler) *Request {
	r.warnings = handler
	return r
}

// Error returns the first error of a setter.
func (r *Request) Error() error { return r.err }

// URL returns the URL of the request, as far as it has been built.
func (r *Request) URL() *url.URL { return r.url(!r.incremental) }

// url returns the URL, with the timeout as a parameter if that bounds the whole
// response.
func (r *Request) url(wholeResponse bool) *url.URL {
	segments, slash := r.target.segments()
	requestURL := joinURL(r.client.conn.Base(), segments, slash)
	requestURL.RawQuery = r.params.Encode()
	if wholeResponse && r.timeout > 0 && !r.params.Has("timeout") {
		if requestURL.RawQuery != "" {
			requestURL.RawQuery += "&"
		}
		requestURL.RawQuery += "timeout=" + url.QueryEscape(r.timeout.String())
	}
	return requestURL
}

// check validates the request as a whole.
func (r *Request) check() error {
	switch t := &r.target; {
	case r.err != nil:
		return fmt.Errorf("%s: %w", r.describe(), r.err)
	case len(t.subresource) > 0 && t.resource == "" && t.name == "":
		return fmt.Errorf("%s: a subresource needs a resource", r.describe())
	case t.name != "" && t.resource == "":
		return fmt.Errorf("%s: the name %q needs a resource", r.describe(), t.name)
	case t.namespaced && t.namespace == "" && t.name != "":
		return fmt.Errorf("%s: the namespace is empty: it is required with a name", r.describe())
	case t.namespaced && t.namespace == "" && r.method == http.MethodPost:
		return fmt.Errorf("%s: the namespace is empty: it is required to create an object", r.describe())
	case r.method == http.MethodPatch && r.patchType == "" && r.header.Get("Content-Type") == "":
		return errors.New(r.describe() + ": a patch needs its type: use Patch, or set the Content-Type")
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// isToken reports whether s is a valid header name.
func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.ContainsRune(marks, c))
	})
}
