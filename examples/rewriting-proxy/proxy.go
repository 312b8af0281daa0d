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

// proxy stands before an API server. Requests for the resources that it has a
// rule for are rewritten, all others pass as they are.
type proxy struct {
	rules map[schema.GroupResource]rule
	// clients is whether requests are made with the credentials of those who
	// send them; otherwise with those of upstream.
	clients bool
	log     *log.Logger

	passing *httputil.ReverseProxy
	origins *http.CrossOriginProtection
}

// newProxy makes one that reaches the API server through upstream.
func newProxy(upstream http.RoundTripper, rules map[schema.GroupResource]rule, clients bool, out *log.Logger) *proxy {
	p := &proxy{rules: rules, clients: clients, log: out, origins: http.NewCrossOriginProtection()}
	p.passing = &httputil.ReverseProxy{
		Transport:      upstream,
		Rewrite:        p.ask,
		ModifyResponse: p.answer,
		ErrorHandler:   func(w http.ResponseWriter, r *http.Request, err error) { p.refuse(w, r, err) },
		ErrorLog:       out,
	}
	return p
}

// exchange is one request and its answer.
type exchange struct {
	target target
	rule   *rewriter // nil: it passes as it is
	accept string    // what is asked for where it is rewritten
	code   int
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// ServeHTTP passes a request on.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := new(exchange)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	// It runs too when an answer is broken off, which is a panic.
	defer func() { p.log.Print(x.said(r)) }()
	if err := p.admit(x, r); err != nil {
		p.refuse(w, r, err)
		return
	}
	p.passing.ServeHTTP(w, r)
}

// said is a line about an exchange. It has no query and no headers.
func (x *exchange) said(r *http.Request) string {
	line := fmt.Sprintf("%s %s: %d", r.Method, r.URL.EscapedPath(), x.code)
	if x.rule != nil {
		line += fmt.Sprintf(", %d of %d objects rewritten", x.rule.rewritten, x.rule.seen)
	}
	return line
}

func (p *proxy) refuse(w http.ResponseWriter, r *http.Request, err error) {
	refused := refusalFor(err)
	exchangeOf(r.Context()).code = refused.code
	refused.write(w)
}

// admit finds out what is to be done with a request, or why it is refused.
func (p *proxy) admit(x *exchange, r *http.Request) error {
	if err := p.trusts(r); err != nil {
		return err
	}
	upgrade := r.Header.Get("Upgrade") // to h2c is an offer that may be passed over
	switch {
	case r.Method == http.MethodConnect || upgrade != "" && upgrade != "h2c":
		return &refusal{http.StatusNotImplemented, "NotImplemented", "rewriting-proxy: exec, attach, port-forward and other upgrades do not pass: use the API server itself"}
	case !clean(r.URL.Path):
		return &refusal{http.StatusBadRequest, metav1.StatusReasonBadRequest, "rewriting-proxy: the path has an empty segment, . or .."}
	}
	target, ok := targetOf(r.Method, r.URL)
	change := p.rules[target.resource]
	if !ok || change == nil {
		return nil
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete:
	default:
		// It may be made from what was rewritten, and would make that true.
		return &refusal{http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			fmt.Sprintf("rewriting-proxy: %s are rewritten here: change them at the API server itself", target.resource)}
	}
	accept, ok := acceptJSON(r.Header.Values("Accept"))
	if !ok {
		return &refusal{http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			fmt.Sprintf("rewriting-proxy: %s are rewritten here, which is done in JSON: only application/json can be asked for, as objects or their metadata", target.resource)}
	}
	x.target, x.accept, x.rule = target, accept, &rewriter{rule: change}
	return nil
}

// trusts keeps those out who have no business with the proxy's credentials. It
// listens on loopback then; web pages are not to reach it from there, neither
// by a name that leads to 127.0.0.1 nor by a form, a picture or a link.
func (p *proxy) trusts(r *http.Request) error {
	if p.clients {
		return nil
	}
	forbidden := func(why string) error {
		return &refusal{http.StatusForbidden, metav1.StatusReasonForbidden, "rewriting-proxy: " + why}
	}
	if !loopback(r.Host) {
		return forbidden("it is to be called by a loopback address or as localhost")
	}
	asked := r.WithContext(r.Context())
	asked.Method = http.MethodPost // a GET is checked as well: what is behind the proxy of a service may act on it
	if p.origins.Check(asked) != nil {
		return forbidden("the request comes from a web page of another origin")
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			return forbidden("requests are made with the proxy's own credentials, and impersonate nobody")
		}
	}
	return nil
}

// loopback is whether an address, with or without a port, is this machine's.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// ask makes the request for the API server.
func (p *proxy) ask(request *httputil.ProxyRequest) {
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
		out.Header.Del("Accept-Encoding") // the transport asks for gzip, and undoes it
	}
}

// answer puts the rewriting into an answer.
func (p *proxy) answer(response *http.Response) error {
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
		return badGateway(fmt.Errorf("it is %.40q, not JSON", response.Header.Get("Content-Type")))
	}
	rewrite := rewriteObject
	switch {
	case x.target.watch:
		rewrite = rewriteWatch
	case x.target.list(response.Request.Method):
		rewrite = rewriteList
	}
	in := valuesOf(plain)
	made := written(response.Body, func(out *bufio.Writer) error { return rewrite(out, in, x.rule) })
	response.Body = made
	response.ContentLength = -1 // so what is written is flushed
	response.Header.Del("Content-Length")
	if x.target.watch {
		return nil // it has begun; the first event may be long in coming
	}
	if err := made.begin(); err != nil {
		return badGateway(err)
	}
	return nil
}

// decompressed is the body of an answer, of which the transport has undone the
// gzip that it has asked for. A server may send some that nobody has asked for.
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
