package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// proxy is a proxy before an API server. It rewrites the responses for resources with a
// rule, and passes all others unchanged.
type proxy struct {
	rules map[schema.GroupResource]rule
	// clients is set if requests are sent with the credentials of the clients,
	// otherwise with those of upstream.
	clients bool
	log     *log.Logger

	reverse *httputil.ReverseProxy
	origins *http.CrossOriginProtection
}

// newProxy returns a proxy that sends requests through upstream.
func newProxy(upstream http.RoundTripper, rules map[schema.GroupResource]rule, clients bool, out *log.Logger) *proxy {
	p := &proxy{rules: rules, clients: clients, log: out, origins: http.NewCrossOriginProtection()}
	p.reverse = &httputil.ReverseProxy{
		Transport:      upstream,
		Rewrite:        p.rewriteRequest,
		ModifyResponse: p.rewriteResponse,
		ErrorHandler:   func(w http.ResponseWriter, r *http.Request, err error) { p.reject(w, r, err) },
		ErrorLog:       out,
	}
	return p
}

// exchange is one request and its response.
type exchange struct {
	target target
	rule   *rewriter // nil: pass unchanged
	accept string    // the Accept header if it is rewritten
	code   int
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// ServeHTTP passes a request on.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := new(exchange)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	// It also runs if a response is aborted, which is a panic.
	defer func() { p.log.Print(x.logLine(r)) }()
	if err := p.admit(x, r); err != nil {
		p.reject(w, r, err)
		return
	}
	p.reverse.ServeHTTP(w, r)
}

// logLine returns a log line about an exchange, without its query and headers.
func (e *exchange) logLine(r *http.Request) string {
	line := fmt.Sprintf("%s %s: %d", r.Method, r.URL.EscapedPath(), e.code)
	if e.rule != nil {
		line += fmt.Sprintf(", %d of %d objects rewritten", e.rule.rewritten, e.rule.seen)
	}
	return line
}

func (p *proxy) reject(w http.ResponseWriter, r *http.Request, err error) {
	rejected := rejectionFor(err)
	exchangeOf(r.Context()).code = rejected.code
	rejected.write(w)
}

// admit determines how to handle a request, or why it is rejected.
func (p *proxy) admit(x *exchange, r *http.Request) error {
	if err := p.checkOrigin(r); err != nil {
		return err
	}
	upgrade := r.Header.Get("Upgrade") // an offer of h2c may be ignored
	switch {
	case r.Method == http.MethodConnect || upgrade != "" && upgrade != "h2c":
		return &rejection{http.StatusNotImplemented, "NotImplemented", "rewriting-proxy: exec, attach, port-forward and other upgrades are not supported: use the API server"}
	case !isClean(r.URL.Path):
		return &rejection{http.StatusBadRequest, metav1.StatusReasonBadRequest, "rewriting-proxy: the path has an empty segment, . or .."}
	}
	target, ok := targetOf(r.Method, r.URL)
	change := p.rules[target.resource]
	if !ok || change == nil {
		return nil
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete:
	default:
		// A write based on a rewritten object would store the rewritten values.
		return &rejection{http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			fmt.Sprintf("rewriting-proxy: the proxy rewrites %s: change them at the API server", target.resource)}
	}
	accept, ok := acceptJSON(r.Header.Values("Accept"))
	if !ok {
		return &rejection{http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("rewriting-proxy: the proxy rewrites %s as JSON: accept application/json, for objects or their metadata", target.resource)}
	}
	x.target, x.accept, x.rule = target, accept, &rewriter{rule: change}
	return nil
}

// checkOrigin rejects requests that must not use the proxy's credentials. The proxy listens on
// loopback then. Web pages must not reach it there, neither through a name that resolves
// to 127.0.0.1 nor by a form, an image or a link.
func (p *proxy) checkOrigin(r *http.Request) error {
	if p.clients {
		return nil
	}
	forbidden := func(reason string) error {
		return &rejection{http.StatusForbidden, metav1.StatusReasonForbidden, "rewriting-proxy: " + reason}
	}
	if !loopback(r.Host) {
		return forbidden("use a loopback address or localhost")
	}
	clone := r.WithContext(r.Context())
	clone.Method = http.MethodPost // also check a GET: a proxied service may act on it
	if p.origins.Check(clone) != nil {
		return forbidden("the request comes from a web page of another origin")
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			return forbidden("requests have the proxy's credentials, and impersonation is not allowed")
		}
	}
	return nil
}

// loopback reports whether an address, with or without a port, is a loopback address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// rewriteRequest prepares the request for the API server.
func (p *proxy) rewriteRequest(request *httputil.ProxyRequest) {
	in, out := request.In, request.Out
	out.URL = &url.URL{Path: in.URL.Path, RawPath: in.URL.RawPath, RawQuery: in.URL.RawQuery}
	for name := range out.Header {
		own := name == "Authorization" || name == "Cookie"
		if strings.HasPrefix(name, "X-Remote-") || own && !p.clients {
			delete(out.Header, name)
		}
	}
	out.Header.Del("Upgrade")
	out.Header.Del("Connection")
	if x := exchangeOf(in.Context()); x.rule != nil {
		out.Header.Set("Accept", x.accept)
		out.Header.Del("Accept-Encoding") // the transport handles gzip itself
	}
}

// rewriteResponse makes the proxy rewrite a response.
func (p *proxy) rewriteResponse(response *http.Response) error {
	x := exchangeOf(response.Request.Context())
	x.code = response.StatusCode
	if x.rule == nil || x.code < 200 || x.code > 299 || response.Body == http.NoBody || response.Request.Method == http.MethodHead {
		return nil
	}
	plain, err := decompressed(response)
	if err != nil {
		return badGateway(err)
	}
	if mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return badGateway(fmt.Errorf("the content type is %.40q, not JSON", response.Header.Get("Content-Type")))
	}
	rewrite := rewriteObject
	switch {
	case x.target.watch:
		rewrite = rewriteWatch
	case x.target.list(response.Request.Method):
		rewrite = rewriteList
	}
	in := valuesOf(plain)
	made := newBody(response.Body, func(out *bufio.Writer) error { return rewrite(out, in, x.rule) })
	response.Body = made
	response.ContentLength = -1 // so that data is flushed
	response.Header.Del("Content-Length")
	if x.target.watch {
		return nil // the response has begun; the first event may take long
	}
	if err := made.begin(); err != nil {
		return badGateway(err)
	}
	return nil
}

// decompressed returns the body of a response. The transport decompresses gzip that it
// has requested; a server may send it without a request.
func decompressed(response *http.Response) (io.Reader, error) {
	coding := response.Header.Get("Content-Encoding")
	response.Header.Del("Content-Encoding")
	switch strings.ToLower(coding) {
	case "", "identity":
		return response.Body, nil
	case "gzip":
		return gzip.NewReader(response.Body)
	}
	return nil, fmt.Errorf("its encoding is %.40q", coding)
}
