package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var router = netip.MustParseAddr("192.0.2.1")

var endpoints = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "endpoints"},
	Kind:                 "Endpoints", Namespaced: true,
}

// logBuffer collects the log of the proxy.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startProxy starts a proxy in front of a server and returns its URL.
func startProxy(t *testing.T, config *rest.Config, clients bool) (url string, out *logBuffer) {
	t.Helper()
	client, err := rest.New(config)
	require.NoError(t, err)
	out = new(logBuffer)
	front := httptest.NewServer(newProxy(client.RoundTripper(), routerRules(router), clients, log.New(out, "", 0)))
	t.Cleanup(client.Close)
	t.Cleanup(front.Close)
	t.Cleanup(front.CloseClientConnections)
	return front.URL, out
}

// startScripted starts a proxy in front of a server whose responses the test defines.
func startScripted(t *testing.T, respond http.HandlerFunc) (url string, out *logBuffer) {
	t.Helper()
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		respond(w, r)
	}))
	t.Cleanup(back.Close)
	return startProxy(t, &rest.Config{Host: back.URL}, false)
}

// send sends a request with headers, in pairs.
func send(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		if request.Header.Add(headers[i], headers[i+1]); headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func text(t *testing.T, response *http.Response) string {
	t.Helper()
	all, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(all)
}

func web(ips ...string) *Endpoints {
	e := &Endpoints{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Subsets:    []Subset{{Ports: []Port{{8080}}}},
	}
	for _, ip := range ips {
		e.Subsets[0].Addresses = append(e.Subsets[0].Addresses, Address{ip})
	}
	return e
}

// An informer behind the proxy receives rewritten objects in its list and its watch, with
// the server's versions, and survives a restart of the server.
func TestInformerReceivesRewrittenObjects(t *testing.T) {
	for name, options := range map[string]apitest.Options{"HTTP2": {}, "HTTP1": {PlainHTTP: true}} {
		t.Run(name, func(t *testing.T) {
			srv := apitest.NewServer(options)
			defer srv.Close()
			apitest.Create(t, srv, web("10.1.0.4", "10.1.0.5"))
			url, _ := startProxy(t, srv.Config(), false)
			client, err := rest.New(&rest.Config{Host: url})
			require.NoError(t, err)
			defer client.Close()

			inf := informer.New(rest.NewView[*Endpoints](client, endpoints), informer.Options[*Endpoints]{})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- inf.Run(ctx) }()
			require.NoError(t, inf.WaitForSync(ctx))
			seen := func(version string) *Endpoints {
				t.Helper()
				require.NoError(t, inf.WaitForVersion(ctx, version))
				e, ok := inf.Get("default/web")
				require.True(t, ok)
				require.Equal(t, version, e.ResourceVersion)
				return e
			}
			e, _ := inf.Get("default/web")
			require.Equal(t, web("192.0.2.1").Subsets, e.Subsets)

			changed := apitest.Modify(t, srv, web(), func(e *Endpoints) { e.Subsets[0].Addresses = nil })
			require.Empty(t, seen(changed.ResourceVersion).Subsets[0].Addresses, "without a ready address there is no router")
			srv.Restart()
			changed = apitest.Modify(t, srv, web(), func(e *Endpoints) { e.Subsets[0].Addresses = []Address{{"10.1.0.9"}} })
			require.Equal(t, web("192.0.2.1").Subsets, seen(changed.ResourceVersion).Subsets)
			cancel()
			require.NoError(t, <-ended)
		})
	}
}

// The proxy requests a type that can be rewritten, and returns it.
func TestAcceptIsNegotiated(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, web("10.1.0.4"))
	url, _ := startProxy(t, srv.Config(), false)
	const (
		protobuf = "application/vnd.kubernetes.protobuf"
		table    = "application/json;as=Table;v=v1;g=meta.k8s.io"
		metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	)
	for _, c := range []struct {
		accept string
		want   string // the kind; "" means rejected
	}{
		{"", "Endpoints"},
		{"*/*", "Endpoints"},
		{"application/json", "Endpoints"},
		{protobuf + ",application/json", "Endpoints"},
		{protobuf + ";stream=watch, */*", "Endpoints"},
		{"application/cbor, application/json;q=0.5", "Endpoints"},
		{table + "," + table + "beta1,application/json", "Endpoints"},
		{metadata + ", application/json", "PartialObjectMetadata"},
		{protobuf, ""},
		{table, ""},
		{"application/yaml", ""},
		{"application/json;q=0, " + protobuf, ""},
		{"nonsense/", ""},
	} {
		response := send(t, "GET", url+"/api/v1/namespaces/default/endpoints/web", "", "Accept", c.accept)
		got := text(t, response)
		if c.want == "" {
			require.Equal(t, 406, response.StatusCode, "%s\n%s", c.accept, got)
			require.Contains(t, got, `"kind":"Status"`)
			continue
		}
		require.Equal(t, 200, response.StatusCode, "%s\n%s", c.accept, got)
		require.Contains(t, got, `"kind":"`+c.want+`"`, c.accept)
		require.NotContains(t, got, "10.1.0.4")
	}
}

// Every way to read an object is rewritten; other requests are not.
func TestEveryWayToReadIsRewritten(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, web("10.1.0.4"))
	const slice = `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"s","namespace":"default"},` +
		`"addressType":"IPv6","endpoints":[{"addresses":["fd00::4"],"conditions":{"ready":false}},{"addresses":["fd00::5"]}]}`
	const another = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"b","namespace":"default"},"subsets":[{"addresses":[{"ip":"10.1.0.4"}]}]}`
	url, out := startProxy(t, srv.Config(), false)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/api/v1/endpoints", ""},
		{"GET", "/api/v1/endpoints/", ""},
		{"GET", "/api/v1/%65ndpoints", ""},
		{"GET", "/api/v1/namespaces/default/endpoints", ""},
		{"GET", "/api/v1/namespaces/default/endpoints?limit=1", ""},
		{"GET", "/api/v1/namespaces/default/endpoints/web?watch=1", ""},
		{"GET", "/api/v1/endpoints?watch=1", ""},
		{"GET", "/api/v1/watch/namespaces/default/endpoints/web", ""},
		{"POST", "/api/v1/namespaces/default/endpoints", another},
		{"DELETE", "/api/v1/namespaces/default/endpoints/b", ""},
		{"POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice},
		{"GET", "/apis/discovery.k8s.io/v1/endpointslices?watch=true", ""},
		{"DELETE", "/api/v1/namespaces/default/endpoints", ""},
	} {
		response := send(t, c.method, url+c.path, c.body, "Content-Type", "application/json", "Accept-Encoding", "gzip")
		// All of them end with a line, and a watch does not end.
		got, err := bufio.NewReader(response.Body).ReadString('\n')
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, 2, response.StatusCode/100, "%s %s\n%s", c.method, c.path, got)
		require.Empty(t, response.Header.Get("Content-Encoding"))
		require.NotContains(t, got, "10.1.0.4", "%s %s", c.method, c.path)
		require.NotContains(t, got, "fd00::", "%s %s", c.method, c.path)
		if !strings.Contains(got, `"status":"Success"`) { // the response of a deletion
			require.Contains(t, got, "192.0.2.1", "%s %s", c.method, c.path)
		}
	}
	response := send(t, "GET", url+"/api/v1/namespaces/default/endpoints/gone", "", "Accept", "application/json")
	require.Equal(t, 404, response.StatusCode)
	require.Contains(t, text(t, response), `"reason":"NotFound"`)
	response = send(t, "GET", url+"/version", "")
	require.Equal(t, 200, response.StatusCode)
	require.Contains(t, text(t, response), "gitVersion")
	require.Contains(t, out.String(), "GET /api/v1/endpoints: 200, 1 of 1 objects rewritten\n")
	require.Contains(t, out.String(), "DELETE /api/v1/namespaces/default/endpoints/b: 200, 0 of 0 objects rewritten\n", "a Status was passed to the rule")
}

// Responses that are not rewritten pass unchanged, in both directions.
func TestOtherResponsesAreUnchanged(t *testing.T) {
	const strange = "\x00k8s \x1f\x8b"
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Warning", `299 - "old"`)
		fmt.Fprintf(w, "%s|%s|%s|%s|%s", strange, r.RequestURI, r.Header.Get("Accept"), r.Header.Get("Accept-Encoding"), sent)
	})
	response := send(t, "PUT", url+"/api/v1/namespaces/default/pods/a?fieldManager=x%20y", "body",
		"Accept", "application/vnd.kubernetes.protobuf", "Accept-Encoding", "gzip")
	require.Equal(t, strange+"|/api/v1/namespaces/default/pods/a?fieldManager=x%20y|application/vnd.kubernetes.protobuf|gzip|body", text(t, response))
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	require.Equal(t, `299 - "old"`, response.Header.Get("Warning"))
	// A subresource is not the object.
	response = send(t, "GET", url+"/api/v1/namespaces/default/endpoints/e/part", "", "Accept", "text/plain", "Accept-Encoding", "gzip")
	require.Equal(t, strange+"|/api/v1/namespaces/default/endpoints/e/part|text/plain|gzip|", text(t, response))
}

// Redirects are left to the client: the target may have a rule.
func TestRedirectsPass(t *testing.T) {
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/api/v1/endpoints")
		w.WriteHeader(http.StatusFound)
	})
	response := send(t, "GET", url+"/api/v1/namespaces/default/services/s/proxy/", "")
	require.Equal(t, http.StatusFound, response.StatusCode)
	require.Equal(t, "/api/v1/endpoints", response.Header.Get("Location"))
}

// Each event is delivered before the next one happens; bookmarks and errors pass
// unchanged, and the end of a watch is passed on.
func TestEventsPassOneByOne(t *testing.T) {
	next := make(chan string)
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		for event := range next {
			io.WriteString(w, event)
			w.(http.Flusher).Flush()
		}
	})
	response := send(t, "GET", url+"/api/v1/endpoints?watch=1", "") // the headers arrive before the first event
	events := bufio.NewReader(response.Body)
	for _, c := range []struct{ sent, want string }{
		{`{"type":"ADDED","object":{"kind":"Endpoints","metadata":{"resourceVersion":"7"},"subsets":[{"addresses":[{"ip":"10.9.9.9"}]}]}}`,
			`{"type":"ADDED","object":{"kind":"Endpoints","metadata":{"resourceVersion":"7"},"subsets":[{"addresses":[{"ip":"192.0.2.1"}]}]}}`},
		{`{"object":{"kind":"Endpoints","b":1.0,"a":"<>"},` + "\n" + `"type":"MODIFIED"}`,
			`{"type":"MODIFIED","object":{"kind":"Endpoints","b":1.0,"a":"<>"}}`},
		{`{"type":"BOOKMARK","object":{"kind":"Endpoints","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`, ""},
		{`{"type":"ERROR","object":{"kind":"Status","code":410}}`, ""},
	} {
		next <- c.sent
		line, err := events.ReadString('\n')
		require.NoError(t, err)
		if c.want == "" {
			c.want = c.sent
		}
		require.Equal(t, c.want+"\n", line)
	}
	close(next)
	_, err := events.ReadByte()
	require.Equal(t, io.EOF, err)
}

// A list passes item by item: the client receives a list longer than a bound before it
// has ended, and a truncated list stays truncated.
func TestListsPassItemByItem(t *testing.T) {
	item := `{"metadata":{"name":"n"},"subsets":[{"addresses":[{"ip":"10.9.9.9"}]}],"x":"` + strings.Repeat("x", 1000) + `"}`
	for name, end := range map[string]string{"whole": `],"metadata":{"resourceVersion":"5"}}`, "truncated": `,{"metad`, "malformed": `,17]}`} {
		t.Run(name, func(t *testing.T) {
			read := make(chan bool)
			url, out := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, `{"kind":"EndpointsList","items":[`+item+strings.Repeat(","+item, 99))
				w.(http.Flusher).Flush()
				<-read
				io.WriteString(w, end)
				if name == "truncated" {
					panic(http.ErrAbortHandler)
				}
			})
			response := send(t, "GET", url+"/api/v1/endpoints", "")
			require.Equal(t, 200, response.StatusCode)
			_, err := io.CopyN(io.Discard, response.Body, 32<<10)
			require.NoError(t, err)
			close(read)
			tail, err := io.ReadAll(response.Body)
			if name == "whole" {
				require.NoError(t, err)
				require.True(t, strings.HasSuffix(string(tail), `],"metadata":{"resourceVersion":"5"}}`+"\n"), "%s", tail[len(tail)-60:])
				require.Contains(t, out.String(), "200, 100 of 100 objects rewritten")
				return
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a truncated list was complete")
		})
	}
}

// Responses that cannot be rewritten are rejected with a Status.
func TestInvalidResponsesAreRejected(t *testing.T) {
	const secret = `{"kind":"Endpoints","subsets":[{"addresses":[{"ip":"10.9.9.9"}]}]}`
	one, all, watch := "/api/v1/namespaces/d/endpoints/e", "/api/v1/endpoints", "/api/v1/endpoints?watch=1"
	huge := strings.Repeat("x", maxObject+1<<20) // more than a decoder reads ahead
	for _, c := range []struct{ path, response, contentType, want string }{
		{one, ``, "", "EOF"},
		{one, `{"kind":"Endpoints"`, "", "EOF"},
		{one, `[` + secret + `]`, "", "cannot unmarshal array"},
		{one, `null`, "", "null instead of an object"},
		{one, `{"kind":"Table","rows":[` + secret + `]}`, "", "a Table"},
		{one, `{"kind":"Endpoints","subsets":7}`, "", "the rule for /"},
		{one, `{"kind":"Endpoints","x":"` + huge + `"}`, "", "more than 16777216 bytes"},
		{one, secret, "application/vnd.kubernetes.protobuf", `kubernetes.protobuf", not JSON`},
		{one, "<html>", "text/html", "not JSON"},
		{all, `<html>`, "", "not the expected JSON"},
		{all, `{"kind":"EndpointsList","items":[`, "", "EOF"},
		{all, `{"kind":"EndpointsList","items":[` + secret + `}`, "", "not the expected JSON"},
		{all, `{"kind":"EndpointsList","items":{"a":` + secret + `}}`, "", "its items are {"},
		{all, `{"kind":"EndpointsList","items":[` + secret + `,7]}`, "", "cannot unmarshal number"},
		{all, `{"kind":"EndpointsList","items":[]}` + secret, "", "data after the list"},
		{all, `{"kind":"EndpointsList"}`, "", "it has no items"},
		{all, `{"Items":[` + secret + `]}`, "", `the field "Items"`},
		{all, `{"kind":"Table","rows":[{"object":` + secret + `}]}`, "", `the field "rows"`},
		{all, `{"type":"ADDED","object":` + secret + `}`, "", `the field "type"`},
		{all, `[` + secret + `]`, "", "instead of {"},
		{all, `{"kind":"EndpointsList","items":[{"x":"` + huge + `"}]}`, "", "more than 16777216 bytes"},
		{all, `{"kind":"EndpointsList","items":"` + huge[:1<<20] + `"}`, "", "its items are xxx"},
		{all, `{"` + huge[:1<<20] + `":7}`, "", `the field "xxx`},
		{watch, `{"type":"ADDED","Object":` + secret + `}`, "", "unexpected end"},
		{watch, `{"type":"added","object":` + secret + `}`, "", `type "added"`},
		{watch, `{"object":` + secret + `}`, "", "an event of type "},
		{watch, `{"type":"BOOKMARK"}`, "", "without an object"},
		{watch, `{"type":"ADDED","object":{"kind":"Table","rows":[` + secret + `]}}`, "", "a Table"},
		{watch, `{"type":"ADDED","object":` + secret + `]`, "", "not the expected JSON"},
		{watch, secret, "", "an event of type "},
		{watch, "<html>", "", "not the expected JSON"},
		{watch, `{"type":"ADDED","object":{"x":"` + huge + `"}}`, "", "more than 16777216 bytes"},
	} {
		url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
			if c.contentType != "" {
				w.Header().Set("Content-Type", c.contentType)
			}
			io.WriteString(w, c.response)
		})
		response := send(t, "GET", url+c.path, "")
		got, err := io.ReadAll(response.Body)
		require.NoError(t, err, c.response[:min(len(c.response), 80)])
		code := 502
		if c.path == watch {
			code = 200
			require.Contains(t, string(got), `{"type":"ERROR","object":{"kind":"Status"`)
		}
		require.Equal(t, code, response.StatusCode, "%s", got)
		require.Contains(t, string(got), "rewriting-proxy: cannot rewrite the API server's response: ")
		require.Contains(t, strings.ReplaceAll(string(got), `\"`, `"`), c.want)
		require.NotContains(t, string(got), "10.9.9.9")
		require.Less(t, len(got), 1000)
	}
}

// A rule also receives the objects of subresources that return the object itself. A
// namespace has some whose paths look like resources.
func TestSubresourcesAreRewritten(t *testing.T) {
	const object = `{"kind":"It","metadata":{"name":"n"}}`
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, object)
	}))
	defer back.Close()
	client, err := rest.New(&rest.Config{Host: back.URL})
	require.NoError(t, err)
	defer client.Close()
	mark := func(obj *unstructured.Unstructured) (bool, error) {
		obj.SetLabels(map[string]string{"seen": "yes"})
		return true, nil
	}
	rules := map[schema.GroupResource]rule{{Resource: "namespaces"}: mark, {Resource: "pods"}: mark,
		{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: mark}
	front := httptest.NewServer(newProxy(client.RoundTripper(), rules, false, log.New(io.Discard, "", 0)))
	defer front.Close()
	for path, rewritten := range map[string]bool{
		"/api/v1/namespaces/n":                                               true,
		"/api/v1/namespaces/n/status":                                        true,
		"/api/v1/namespaces/n/finalize":                                      true,
		"/api/v1/namespaces/n/pods/p":                                        true,
		"/api/v1/namespaces/status/pods/p":                                   true,
		"/api/v1/namespaces/n/pods/p/status":                                 true,
		"/api/v1/namespaces/n/pods/p/ephemeralcontainers":                    true,
		"/api/v1/namespaces/n/pods/p/resize":                                 true,
		"/api/v1/namespaces/n/pods/p/log":                                    false,
		"/api/v1/namespaces/n/pods/p/proxy/status":                           false,
		"/api/v1/namespaces/n/configmaps/pods":                               false,
		"/apis/certificates.k8s.io/v1/namespaces/n/pods/p":                   false,
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval": true,
	} {
		got := text(t, send(t, "GET", front.URL+path, ""))
		if rewritten {
			require.Contains(t, got, `"seen":"yes"`, path)
		} else {
			require.Equal(t, object, got, path)
		}
	}
}

// A slice without a ready endpoint becomes an empty list, not null.
func TestSliceWithoutReadyEndpoints(t *testing.T) {
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"kind":"EndpointSlice","addressType":"IPv6","endpoints":[{"addresses":["fd00::4"],"conditions":{"ready":false}}]}`)
	})
	got := text(t, send(t, "GET", url+"/apis/discovery.k8s.io/v1/namespaces/d/endpointslices/s", ""))
	require.Equal(t, `{"addressType":"IPv4","endpoints":[],"kind":"EndpointSlice"}`+"\n", got)
}

// If a client disconnects within a list, its request at the server and the rewriting end.
func TestDisconnectWithinAListEndsTheRequest(t *testing.T) {
	disconnected := make(chan bool)
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(disconnected)
		io.WriteString(w, `{"kind":"EndpointsList","items":[{}`)
		for r.Context().Err() == nil {
			io.WriteString(w, `,{"x":"`+strings.Repeat("x", 1000)+`"}`)
		}
	})
	send(t, "GET", url+"/api/v1/endpoints", "").Body.Close()
	<-disconnected
}

// A watch that breaks off within an event breaks off for the client as well.
func TestTruncatedWatchEndsWithAnError(t *testing.T) {
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"type":"ADDED","object":{"kind":"Endpoints"}}`+"\n"+`{"type":"ADD`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	got, err := io.ReadAll(send(t, "GET", url+"/api/v1/endpoints?watch=1", "").Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, `{"type":"ADDED","object":{"kind":"Endpoints"}}`+"\n", string(got))
}

// gzip is decompressed, requested or not; other encodings are rejected.
func TestGzipIsDecompressed(t *testing.T) {
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	io.WriteString(zip, `{"kind":"EndpointsList","items":[{"subsets":[{"addresses":[{"ip":"10.9.9.9"}]}]}]}`)
	require.NoError(t, zip.Close())
	for coding, want := range map[string]string{"gzip": "192.0.2.1", "GZIP": "192.0.2.1", "br": `its encoding is \"br\"`} {
		for _, unasked := range []bool{false, true} {
			back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if requested := r.Header.Get("Accept-Encoding"); requested != "" && requested != "gzip" {
					t.Errorf("the server was asked for %q", requested)
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", coding)
				w.Write(zipped.Bytes())
			}))
			defer back.Close()
			url, _ := startProxy(t, &rest.Config{Host: back.URL, DisableCompression: unasked}, false)
			response := send(t, "GET", url+"/api/v1/endpoints", "", "Accept-Encoding", "br, zstd")
			require.Contains(t, text(t, response), want)
			require.Empty(t, response.Header.Get("Content-Encoding"))
		}
	}
}

// A client that does not read blocks the server: nothing accumulates.
func TestSlowClientBlocksTheServer(t *testing.T) {
	event := `{"type":"ADDED","object":{"kind":"Endpoints","x":"` + strings.Repeat("x", 64<<10) + `"}}` + "\n"
	stalled := make(chan int, 1)
	url, _ := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		sent := 0
		defer func() { stalled <- sent }()
		for sent < 256<<20 {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second))
			n, err := io.WriteString(w, event)
			if sent += n; err != nil {
				return
			}
		}
	})
	send(t, "GET", url+"/api/v1/endpoints?watch=1", "")
	sent := <-stalled
	t.Logf("%d KiB on their way", sent>>10) // in the buffers of four sockets
	require.Less(t, sent, 64<<20)
}

// If a client disconnects, its request at the server ends.
func TestDisconnectWithinAWatchEndsTheRequest(t *testing.T) {
	disconnected := make(chan bool)
	url, out := startScripted(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(disconnected)
	})
	send(t, "GET", url+"/api/v1/endpoints?watch=1", "").Body.Close()
	<-disconnected
	require.NotContains(t, out.String(), "error")
}

// Requests have the proxy's credentials or those of the client, never both.
func TestCredentials(t *testing.T) {
	requested := make(chan http.Header, 1)
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { requested <- r.Header }))
	defer back.Close()
	config := &rest.Config{Host: back.URL, BearerToken: "proxy", Impersonate: rest.ImpersonationConfig{UserName: "reader"}}
	clientHeaders := []string{"Authorization", "Bearer client", "Cookie", "c=1", "X-Remote-User", "root", "X-Forwarded-For", "10.0.0.1"}

	url, _ := startProxy(t, config, false)
	require.Equal(t, 200, send(t, "GET", url+"/api/v1/pods", "", clientHeaders...).StatusCode)
	sent := <-requested
	require.Equal(t, []string{"Bearer proxy"}, sent["Authorization"])
	require.Equal(t, []string{"reader"}, sent["Impersonate-User"])
	for _, name := range []string{"Cookie", "X-Remote-User", "X-Forwarded-For"} {
		require.NotContains(t, sent, name)
	}

	url, _ = startProxy(t, anonymous(config), true)
	require.Equal(t, 200, send(t, "GET", url+"/api/v1/pods", "", append(clientHeaders, "Impersonate-User", "other")...).StatusCode)
	sent = <-requested
	require.Equal(t, []string{"Bearer client"}, sent["Authorization"])
	require.Equal(t, []string{"other"}, sent["Impersonate-User"])
	require.NotContains(t, sent, "X-Remote-User")
	require.Equal(t, 200, send(t, "GET", url+"/api/v1/pods", "").StatusCode)
	require.NotContains(t, <-requested, "Authorization")
}

// A rejection is a Status with the reason.
func TestRejectedRequests(t *testing.T) {
	url, out := startScripted(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("%s %s was passed on", r.Method, r.URL) })
	one := "/api/v1/namespaces/d/endpoints/e"
	for _, c := range []struct {
		method, path string
		headers      []string
		code         int
		want         string
	}{
		{"PUT", one, nil, 405, "the proxy rewrites endpoints: change them at the API server"},
		{"PATCH", one, nil, 405, "change them at"},
		{"PUT", one + "/status", nil, 405, "change them at"},
		{"PATCH", "/apis/discovery.k8s.io/v1/namespaces/d/endpointslices/e", nil, 405, "endpointslices.discovery.k8s.io"},
		{"get", "/api/v1/endpoints", nil, 405, "change them at"},
		{"GET", "/api/v1//endpoints", nil, 400, "empty segment"},
		{"GET", "//api/v1/endpoints", nil, 400, "empty segment"},
		{"GET", "/api/v1/namespaces/../endpoints", nil, 400, "empty segment"},
		{"GET", "/api/v1/namespaces/%2e%2e/endpoints", nil, 400, "empty segment"},
		{"GET", "/api/v1/namespaces/d/pods/p/exec", []string{"Connection", "Upgrade", "Upgrade", "websocket"}, 501, "exec, attach, port-forward"},
		{"GET", "/api/v1/pods", []string{"Impersonate-User", "root"}, 403, "impersonation is not allowed"},
		{"GET", "/api/v1/pods", []string{"Host", "evil.example"}, 403, "loopback"},
		{"GET", "/api/v1/pods", []string{"Host", "10.0.0.1:8002"}, 403, "loopback"},
		{"POST", "/api/v1/pods", []string{"Origin", "https://evil.example"}, 403, "another origin"},
		{"GET", "/api/v1/namespaces/d/services/s/proxy/act", []string{"Sec-Fetch-Site", "cross-site"}, 403, "another origin"},
	} {
		response := send(t, c.method, url+c.path, "", c.headers...)
		got := text(t, response)
		require.Equal(t, c.code, response.StatusCode, "%s %s: %s", c.method, c.path, got)
		require.Contains(t, got, `"kind":"Status"`)
		require.Contains(t, got, c.want)
	}
	require.Contains(t, out.String(), "PUT /api/v1/namespaces/d/endpoints/e: 405\n")
}

// An unreachable server causes an error with code 503.
func TestUnreachableServer(t *testing.T) {
	back := httptest.NewServer(nil)
	back.Close()
	url, _ := startProxy(t, &rest.Config{Host: back.URL}, false)
	for _, path := range []string{"/api/v1/endpoints", "/api/v1/pods"} {
		response := send(t, "GET", url+path, "")
		require.Equal(t, 503, response.StatusCode)
		require.Contains(t, text(t, response), "no response from the API server: dial tcp")
	}
}

// If a rule fails or panics, nothing passes, and other requests are not affected.
func TestFailingRuleRejectsTheResponse(t *testing.T) {
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"kind":"Secret","metadata":{"namespace":"d","name":"s"},"data":{"a":"10.9.9.9"}}`)
	}))
	defer back.Close()
	client, err := rest.New(&rest.Config{Host: back.URL})
	require.NoError(t, err)
	defer client.Close()
	rules := map[schema.GroupResource]rule{
		{Resource: "secrets"}: func(*unstructured.Unstructured) (bool, error) { return true, errors.New("no key") },
		{Resource: "pods"}:    func(*unstructured.Unstructured) (bool, error) { panic("no rule") },
	}
	out := new(logBuffer)
	front := httptest.NewUnstartedServer(newProxy(client.RoundTripper(), rules, false, log.New(out, "", 0)))
	front.Config.ErrorLog = log.New(out, "", 0)
	front.Start()
	defer front.Close()
	response := send(t, "GET", front.URL+"/api/v1/namespaces/d/secrets/s", "")
	require.Equal(t, 502, response.StatusCode)
	require.Contains(t, text(t, response), "the rule for d/s: no key")
	request, err := http.NewRequestWithContext(t.Context(), "GET", front.URL+"/api/v1/namespaces/d/pods/s", nil)
	require.NoError(t, err)
	_, err = http.DefaultTransport.RoundTrip(request)
	require.Error(t, err)
	require.Equal(t, 502, send(t, "GET", front.URL+"/api/v1/namespaces/d/secrets/s", "").StatusCode)
}
