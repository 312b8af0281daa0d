package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func paths(t *judge.T, parts stack.Parts) {
	for _, test := range []struct{ method, namespace, resource, name, path string }{
		{"GET", "shop", "configmaps", "web", "/api/v1/namespaces/shop/configmaps/web"},
		{"POST", "shop", "configmaps", "", "/api/v1/namespaces/shop/configmaps"},
		{"GET", "", "configmaps", "", "/api/v1/configmaps"},
		{"DELETE", "", "namespaces", "shop", "/api/v1/namespaces/shop"},
	} {
		for _, reverse := range []bool{false, true} {
			r := responding(t, 200, jsonType, object)
			b := verb(t, newClient(t, parts, r), test.method)
			if reverse && test.name != "" {
				b = b.name(test.name)
			}
			if reverse {
				b = b.resource(test.resource).namespace(test.namespace)
			} else {
				b = b.namespace(test.namespace).resource(test.resource)
			}
			if !reverse && test.name != "" {
				b = b.name(test.name)
			}
			request := r.sent(b)
			if request.Method != test.method || request.URL.Path != test.path {
				t.Fatalf("Namespace(%q), Resource(%q), Name(%q), called in any order: sent %s %s, want %s %s",
					test.namespace, test.resource, test.name, request.Method, request.URL.Path, test.method, test.path)
			}
			if got := request.URL.Scheme + "://" + request.URL.Host; got != "http://server" {
				t.Fatalf("the request was sent to %s, want the base http://server", got)
			}
			if request.URL.RawQuery != "" {
				t.Fatalf("the request has the query %q without VersionedParams", request.URL.RawQuery)
			}
			if accept := request.Header.Get("Accept"); accept != jsonType {
				t.Fatalf("the field Accept of the request is %q, want %q: the server may respond in another encoding", accept, jsonType)
			}
		}
	}
}

func segments(t *judge.T, parts stack.Parts) {
	for _, test := range [][2]string{{"a?watch=1", "a%3Fwatch=1"}, {"a#b", "a%23b"}, {"a b", "a%20b"}} {
		name, escaped := test[0], test[1]
		r := responding(t, 200, jsonType, object)
		request := r.sent(verb(t, newClient(t, parts, r), "GET").namespace("shop").resource("configmaps").name(name))
		if got, want := request.URL.RequestURI(), "/api/v1/namespaces/shop/configmaps/"+escaped; got != want || request.URL.Fragment != "" {
			t.Fatalf("Name(%q): sent %s, want %s: the name must be escaped", name, got, want)
		}
	}
	colon := responding(t, 200, jsonType, object)
	request := colon.sent(verb(t, newClient(t, parts, colon), "GET").resource("configmaps").name("system:Reader"))
	if got, want := request.URL.Path, "/api/v1/configmaps/system:Reader"; got != want {
		t.Fatalf("Name(%q): sent the path %s, want %s", "system:Reader", got, want)
	}
	for _, wrong := range []string{"a/b", "..", ".", "a%2fb"} {
		wantNothingSent(t, parts, `Name("`+wrong+`")`, "it would change the path", func(b builder) builder {
			return b.namespace("shop").resource("configmaps").name(wrong)
		})
		wantNothingSent(t, parts, `Namespace("`+wrong+`")`, "it would change the path", func(b builder) builder {
			return b.namespace(wrong).resource("configmaps").name("web")
		})
		wantNothingSent(t, parts, `Resource("`+wrong+`")`, "it would change the path", func(b builder) builder {
			return b.namespace("shop").resource(wrong).name("web")
		})
	}
	wantNothingSent(t, parts, `Name("")`, "GET and DELETE would reach the whole collection", func(b builder) builder {
		return b.namespace("shop").resource("configmaps").name("")
	})
	wantNothingSent(t, parts, `Resource("")`, "", func(b builder) builder { return b.namespace("shop").resource("") })
}

// wantNothingSent fails unless Do and Stream return an error and send nothing.
func wantNothingSent(t *judge.T, parts stack.Parts, after, why string, build func(builder) builder) error {
	if why != "" {
		why = ": " + why
	}
	r := responding(t, 200, jsonType, object)
	client := newClient(t, parts, r)
	_, streamed := build(verb(t, client, "DELETE")).stream()
	err := build(verb(t, client, "DELETE")).into(nil)
	if len(r.requests) > 0 {
		t.Fatalf("after %s, %s %s was sent, want an error%s", after, r.requests[0].Method, judge.Short(r.requests[0].URL.RequestURI()), why)
	}
	if err == nil || streamed == nil {
		t.Fatalf("after %s, Do returns %s and Stream returns %s, want an error%s", after, judge.ShortError(err), judge.ShortError(streamed), why)
	}
	return err
}

func parameters(t *judge.T, parts stack.Parts) {
	timeout := int64(300)
	options := &metav1.ListOptions{
		LabelSelector: "app=web,tier in (a,b)", Limit: 500, Continue: "x+/=", ResourceVersion: "7",
		Watch: true, AllowWatchBookmarks: true, TimeoutSeconds: &timeout,
	}
	before := options.DeepCopy()
	r := responding(t, 200, jsonType, object)
	b := verb(t, newClient(t, parts, r), "GET").resource("configmaps")
	query := r.sent(b.after("VersionedParams", b.VersionedParams(options))).URL.RawQuery
	want := url.Values{
		"labelSelector": {"app=web,tier in (a,b)"}, "limit": {"500"}, "continue": {"x+/="}, "resourceVersion": {"7"},
		"watch": {"true"}, "allowWatchBookmarks": {"true"}, "timeoutSeconds": {"300"},
	}
	got, err := url.ParseQuery(query)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("the query is %s\nwant %s", judge.Short(query), judge.Short(want.Encode()))
	}
	if !reflect.DeepEqual(options, before) {
		t.Fatalf("VersionedParams modified the options of the caller")
	}
	for i, options := range []*metav1.ListOptions{nil, {}} {
		r := responding(t, 200, jsonType, object)
		b := verb(t, newClient(t, parts, r), "GET").resource("configmaps")
		if query := r.sent(b.after("VersionedParams", b.VersionedParams(options))).URL.RawQuery; query != "" {
			t.Fatalf("VersionedParams with %s: the query is %q, want none", []string{"nil", "empty options"}[i], query)
		}
	}
}

func requestBody(t *judge.T, parts stack.Parts) {
	object := &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"text": "你好 <b> \"x\"\n"}}
	r := responding(t, 201, jsonType, "{}")
	request := r.sent(verb(t, newClient(t, parts, r), "POST").namespace("shop").resource("configmaps").body(object))
	if got := request.Header.Get("Content-Type"); got != jsonType {
		t.Fatalf("the Content-Type of a request with a Body is %q, want %q", got, jsonType)
	}
	var decoded stack.ConfigMap
	if err := json.Unmarshal([]byte(request.content), &decoded); err != nil || !reflect.DeepEqual(&decoded, object) {
		t.Fatalf("Body sent %s (%d bytes), want the object as JSON", judge.Short(request.content), len(request.content))
	}
}

func firstError(t *judge.T, parts stack.Parts) {
	err := wantNothingSent(t, parts, `Name("first/error"), Body(a channel)`, "", func(b builder) builder {
		return b.resource("configmaps").name("first/error").body(make(chan int))
	})
	if text := err.Error(); !strings.Contains(text, "first/error") || strings.Contains(text, "chan") {
		t.Fatalf("Name(%q), and then Body with a channel: Do returns the error %s, want the first one, with the name", "first/error", judge.Short(text))
	}
	wantNothingSent(t, parts, `Name("a/b"), VersionedParams, Body`, "a later method must not remove the error", func(b builder) builder {
		b = b.namespace("shop").resource("configmaps").name("a/b")
		b = b.after("VersionedParams", b.VersionedParams(&metav1.ListOptions{Limit: 1}))
		return b.body(map[string]string{"a": "b"})
	})
	wantNothingSent(t, parts, "Body(a channel)", "a channel cannot be encoded", func(b builder) builder {
		return b.namespace("shop").resource("configmaps").body(make(chan int))
	})
}

func setOnce(t *judge.T, parts stack.Parts) {
	once := responding(t, 200, jsonType, object)
	once.sent(getWeb(t, parts, once))
	twice := func(method string, build func(builder) builder) {
		wantNothingSent(t, parts, "two calls of "+method+" with different values", "one of them is a mistake", build)
	}
	twice("Namespace", func(b builder) builder { return b.namespace("a").namespace("b").resource("configmaps") })
	twice("Resource", func(b builder) builder { return b.resource("configmaps").resource("secrets") })
	twice("Name", func(b builder) builder { return b.namespace("a").resource("configmaps").name("a").name("b") })
	kept := responding(t, 200, jsonType, object)
	all := verb(t, newClient(t, parts, kept), "DELETE").namespace("shop").namespace("").resource("configmaps")
	if all.into(nil); len(kept.requests) > 0 && kept.requests[0].URL.Path != "/api/v1/namespaces/shop/configmaps" {
		t.Fatalf("after Namespace(%q) and Namespace(%q), DELETE %s was sent: the empty namespace sets nothing", "shop", "", kept.requests[0].URL.Path)
	}
	wantNothingSent(t, parts, "no call of Resource", "the path has no resource", func(b builder) builder { return b.namespace("shop") })
}

func independent(t *judge.T, parts stack.Parts) {
	r := responding(t, 200, jsonType, object)
	base := &url.URL{Scheme: "https", Host: "server:6443"}
	client := parts.NewClient(base, r)
	if client == nil {
		t.Fatalf("NewClient returns nil")
	}
	failed := verb(t, client, "GET").namespace("shop").resource("configmaps").name("a/b")
	one := verb(t, client, "PUT").namespace("one").body(map[string]string{"a": "b"})
	two := verb(t, client, "GET").resource("secrets")
	one = one.resource("configmaps").name("web")
	for _, b := range []builder{failed, one, two} {
		b.into(nil)
	}
	var sent []string
	for _, request := range r.requests {
		sent = append(sent, request.Method+" "+request.URL.RequestURI()+" "+strings.TrimSpace(request.content))
	}
	want := []string{`PUT /api/v1/namespaces/one/configmaps/web {"a":"b"}`, "GET /api/v1/secrets "}
	if !reflect.DeepEqual(sent, want) {
		t.Fatalf("one client builds three requests at the same time, the first one with an error: each has its own fields\nsent %q\nwant %q", sent, want)
	}
	if to := r.requests[0].URL; to.Scheme != base.Scheme || to.Host != base.Host {
		t.Fatalf("a request was sent to %s://%s, want the base https://server:6443", to.Scheme, to.Host)
	}
	if base.String() != "https://server:6443" {
		t.Fatalf("the base of NewClient was modified: it is %s now", base)
	}
}

func contextAndErrors(t *judge.T, parts stack.Parts) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	refused := errors.New("connection refused")
	r := failing(t, refused)
	var done, streamed error
	t.Unblocked("Do", func() {
		done = getWeb(t, parts, r).Do(ctx).Into(nil)
		_, streamed = getWeb(t, parts, r).Stream(ctx)
	})
	for _, request := range r.requests {
		if request.Context().Value(key{}) != "value" {
			t.Fatalf("the request of the transport does not have the context of Do or Stream: http.NewRequestWithContext")
		}
	}
	if len(r.requests) != 2 {
		t.Fatalf("the transport returned an error to one Do and to one Stream, and received %d requests, want 2: nothing is retried", len(r.requests))
	}
	for _, failed := range []failedCall{{"Do", done}, {"Stream", streamed}} {
		if !errors.Is(failed.err, refused) {
			t.Fatalf("the transport returns the error %q: %s returns %s, want that error (errors.Is)", refused, failed.call, judge.ShortError(failed.err))
		}
		wantNamed(t, failed.err)
	}
}

// failedCall is a call of Do or of Stream, and its error.
type failedCall struct {
	call string
	err  error
}

// wantNamed fails unless an error of getWeb names the request.
func wantNamed(t *judge.T, err error) {
	for _, want := range []string{"GET", "/api/v1/namespaces/shop/configmaps/web"} {
		if !strings.Contains(err.Error(), want) {
			t.Fatalf("the error %s does not say %s: an error must name the request, its verb and its path", judge.Short(err.Error()), want)
		}
	}
}
