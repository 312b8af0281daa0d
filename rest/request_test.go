package rest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The table has the calls that build a request, and its URL.
func TestTheURLOfARequest(t *testing.T) {
	client, _ := scripted(t, Config{})
	core, apps := client.GroupVersion(coreV1), client.GroupVersion(appsV1)
	limit := int64(500)
	for _, c := range []struct {
		built *Request
		goes  string
	}{
		{core.Get().Resource("pods"), "/api/v1/pods"},
		{core.Get().Namespace("").Resource("pods"), "/api/v1/pods"},
		{core.Get().Namespace("default").Resource("pods"), "/api/v1/namespaces/default/pods"},
		{core.Get().Resource("pods").Name("web").Namespace("default"), "/api/v1/namespaces/default/pods/web"},
		{core.Get().Namespace("default").Resource("pods").Name("web").SubResource("log").Param("follow", "true"), "/api/v1/namespaces/default/pods/web/log?follow=true"},
		{core.Get().NamespaceIfScoped("ignored", false).Resource("nodes").Name("n1"), "/api/v1/nodes/n1"},
		{core.Get().NamespaceIfScoped("kept", true).Resource("pods"), "/api/v1/namespaces/kept/pods"},
		{core.Get().Namespace("a").Namespace("a").Resource("pods").Resource("pods").Name("x").Name("x"), "/api/v1/namespaces/a/pods/x"},
		{core.Put().Resource("namespaces").Name("x").SubResource("finalize"), "/api/v1/namespaces/x/finalize"},
		{core.Get().Resource("services").Namespace("d").Name("https:web:443").SubResource("proxy").Suffix("a/b", "c"), "/api/v1/namespaces/d/services/https:web:443/proxy/a/b/c"},
		{core.Get().Resource("services").Namespace("d").Name("web").SubResource("proxy").Suffix("a/"), "/api/v1/namespaces/d/services/web/proxy/a/"},
		{core.Get().Resource("services").Namespace("d").Name("web").SubResource("proxy").Suffix("/"), "/api/v1/namespaces/d/services/web/proxy/"},
		{core.Get().Prefix("watch").Namespace("d").Resource("pods"), "/api/v1/watch/namespaces/d/pods"},
		{apps.Patch(types.ApplyPatchType).Resource("deployments").Namespace("d").Name("web").Param("fieldManager", "me & you").Param("force", "true"), "/apis/apps/v1/namespaces/d/deployments/web?fieldManager=me+%26+you&force=true"},
		{apps.Get().Resource("deployments").Param("a", "1").Param("a", "2"), "/apis/apps/v1/deployments?a=1&a=2"},
		{apps.Get().Resource("deployments").Param("a/../b", "?#%\n"), "/apis/apps/v1/deployments?a%2F..%2Fb=%3F%23%25%0A"},
		{apps.Get().Resource("deployments").VersionedParams(&metav1.ListOptions{LabelSelector: "app in (a,b)", Limit: limit, TimeoutSeconds: &limit}, metav1.ParameterCodec), "/apis/apps/v1/deployments?labelSelector=app+in+%28a%2Cb%29&limit=500&timeoutSeconds=500"},
		{core.Delete().Resource("pods").Namespace("d").Name("x").VersionedParams(&metav1.DeleteOptions{DryRun: []string{"All"}}, metav1.ParameterCodec), "/api/v1/namespaces/d/pods/x?dryRun=All"},
		{apps.Get().Resource("deployments").SpecificallyVersionedParams(&metav1.ListOptions{Watch: true}, metav1.ParameterCodec, coreV1), "/apis/apps/v1/deployments?watch=true"},
		{apps.Get().Resource("deployments").Timeout(90 * time.Second), "/apis/apps/v1/deployments?timeout=1m30s"},
		{apps.Get().Resource("deployments").Timeout(90*time.Second).Param("timeout", "1s"), "/apis/apps/v1/deployments?timeout=1s"},
		{apps.Get().Resource("deployments").Timeout(7 * time.Microsecond), "/apis/apps/v1/deployments?timeout=7%C2%B5s"},
		{client.Get().AbsPath("/healthz"), "/healthz"},
		{client.Get().AbsPath("/"), "/"},
		{client.Get(), "/"},
		{client.Get().AbsPath("apis", "apps/v1"), "/apis/apps/v1"},
		{client.Get().AbsPath("/apis/"), "/apis/"},
		{apps.Get().AbsPath("/version").Param("timeout", "32s"), "/version?timeout=32s"},
		{apps.Get().Param("old", "1").RequestURI("/api/v1/pods?limit=5&continue=a%2Fb"), "/api/v1/pods?continue=a%2Fb&limit=5"},
		{apps.Get().RequestURI("/logs/a%20b/"), "/logs/a%20b/"},
		{core.Get().Resource("pods").Namespace("d").Name("CORP\\user name;ü"), "/api/v1/namespaces/d/pods/CORP%5Cuser%20name;%C3%BC"},
	} {
		require.NoError(t, c.built.Error(), c.goes)
		require.Equal(t, "https://server:6443"+c.goes, c.built.URL().String())
	}
}

// If the server has a base path, all requests stay below it.
func TestThePathOfTheHostIsAPrefix(t *testing.T) {
	for _, host := range []string{"https://proxy/k8s/c%2F1", "https://proxy/k8s/c%2F1/"} {
		client, _ := scripted(t, Config{Host: host})
		require.Equal(t, "https://proxy/k8s/c%2F1/api/v1/pods", client.GroupVersion(coreV1).Get().Resource("pods").URL().String())
		require.Equal(t, "https://proxy/k8s/c%2F1/healthz", client.Get().AbsPath("/healthz").URL().String())
		require.Equal(t, "https://proxy/k8s/c%2F1/api/", client.Get().RequestURI("/api/").URL().String())
		require.Equal(t, "https://proxy/k8s/c%2F1/", client.Get().AbsPath("/").URL().String())
	}
}

// Path segments with a special meaning are rejected before anything is sent.
func TestSegmentsThatWouldEscapeThePathAreRejected(t *testing.T) {
	client, sent := scripted(t, Config{})
	core := client.GroupVersion(coreV1)
	for _, bad := range []string{"", ".", "..", ".;", "..;", "..;a=b", ";", ";a", "a/b", "/", "../x", "a%2fb", "a?b", "a#b", "a\nb", "a\x00", "\x7f", "\xff"} {
		for setter, request := range map[string]*Request{
			"Name":         core.Get().Resource("pods").Name(bad),
			"Resource":     core.Get().Resource(bad),
			"SubResource":  core.Get().Resource("pods").Name("x").SubResource("status", bad),
			"GroupVersion": client.GroupVersion(schema.GroupVersion{Group: "g", Version: bad}).Get(),
		} {
			requireRefused(t, request, setter)
		}
		if bad != "" {
			requireRefused(t, core.Get().Namespace(bad).Resource("pods"), "Namespace")
			requireRefused(t, client.GroupVersion(schema.GroupVersion{Group: bad, Version: "v1"}).Get(), "GroupVersion")
		}
	}
	for _, bad := range []string{"..", "/a/../b", "/a/./b", "/a/..;/b", "/a/.;x", "//a", "a//b", "a%2e%2e/b", "/a?b=c", "a#b", "\r\n", "a/..", "../"} {
		requireRefused(t, client.Get().AbsPath(bad), "AbsPath")
		requireRefused(t, client.Get().AbsPath("fine", bad), "AbsPath")
		requireRefused(t, core.Get().Prefix(bad), "Prefix")
		requireRefused(t, core.Get().Resource("pods").Name("x").Suffix(bad), "Suffix")
	}
	for _, bad := range []string{"", "api", "//host/x", "https://host/x", "/a/../b", "/a/..;/b", "/a/%2e%2e;/b", "/a/%2e%2E/b", "/a%2fb", "/a%zz", "/a%00", "/a//b", "/a#b", "/a?%zz", "/a?b;c=1"} {
		requireRefused(t, client.Get().RequestURI(bad), "RequestURI")
	}
	require.Empty(t, sent.requests)
}

func requireRefused(t *testing.T, r *Request, setter string) {
	t.Helper()
	require.ErrorContains(t, r.Error(), setter+": ")
	_, err := r.DoRaw(t.Context())
	require.ErrorIs(t, err, r.Error())
	_, err = r.Stream(t.Context())
	require.ErrorIs(t, err, r.Error())
	require.ErrorIs(t, r.Do(t.Context()).Error(), r.Error())
}

// The first error is kept.
func TestTheFirstErrorIsReturned(t *testing.T) {
	client, _ := scripted(t, Config{})
	r := client.GroupVersion(coreV1).Get().Resource("Pods").Name("..").Namespace("/").Param("", "")
	require.EqualError(t, r.Error(), `Resource: "Pods" is not in lower case; is it "pods"?`)
	require.EqualError(t, r.Do(context.Background()).Error(), `GET /api/v1: Resource: "Pods" is not in lower case; is it "pods"?`)
}

func TestInvalidInputIsAnError(t *testing.T) {
	client, sent := scripted(t, Config{})
	core := client.GroupVersion(coreV1)
	var nilOptions *metav1.ListOptions
	for says, r := range map[string]*Request{
		`Namespace: it is already "a", and cannot be set to "b"`:        core.Get().Namespace("a").Namespace("b").Resource("pods"),
		`Namespace: it is already "", and cannot be set to "b"`:         core.Get().Namespace("").Namespace("b").Resource("pods"),
		`Name: it is already "a", and cannot be set to "b"`:             core.Get().Resource("pods").Name("a").Name("b"),
		`Resource: it is already "pods", and cannot be set to "nodes"`:  core.Get().Resource("pods").Resource("nodes"),
		`SubResource: it is already "log", and cannot be set to "exec"`: core.Get().Resource("pods").Name("x").SubResource("log").SubResource("exec"),
		`Param: the name`:                                    core.Get().Param("", "x"),
		`SetHeader: "a b" is not`:                            core.Get().SetHeader("a b", "x"),
		`SetHeader: "" is not`:                               core.Get().SetHeader("", "x"),
		`SetHeader: the value of X-A contains`:               core.Get().SetHeader("X-A", "hidden\r\nX-B: y"),
		`VersionedParams: the options or the codec`:          core.Get().VersionedParams(nilOptions, metav1.ParameterCodec),
		`the options or the codec are nil`:                   core.Get().VersionedParams(&metav1.ListOptions{}, nil),
		`VersionedParams: encode *v1.PartialObjectMetadata`:  core.Get().VersionedParams(&metav1.PartialObjectMetadata{}, metav1.ParameterCodec),
		`Timeout: -1s is negative`:                           core.Get().Timeout(-time.Second),
		`Body: a string`:                                     core.Post().Body("/etc/passwd"),
		`Body: encode`:                                       core.Post().Body(func() {}),
		`Patch: the type`:                                    core.Patch(""),
		`a patch needs its type`:                             core.Verb("PATCH").Resource("pods").Name("x"),
		`Verb: "get" is not`:                                 core.Verb("get"),
		`Verb: "" is not`:                                    core.Verb(""),
		`"x" needs a resource`:                               core.Get().Name("x"),
		`a subresource needs a resource`:                     core.Get().SubResource("x"),
		`the namespace is empty: it is required to create`:   core.Post().Namespace("").Resource("pods"),
		`the namespace is empty: it is required with a name`: core.Delete().Namespace("").Resource("pods").Name("x"),
	} {
		_, err := r.DoRaw(t.Context())
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hidden")
	}
	require.Empty(t, sent.requests)
	_, err := New(nil)
	require.ErrorContains(t, err, "the config is nil")
}

// If a URL is passed as a path, the error does not contain its password.
func TestAURLPassedAsAPathIsNotShown(t *testing.T) {
	client, _ := scripted(t, Config{})
	for _, r := range []*Request{
		client.Get().AbsPath("https://user:hidden@host/x?token=hidden"),
		client.Get().RequestURI("https://user:hidden@host/x?token=hidden"),
		client.Get().RequestURI("/x?token=hidden%zz"),
		client.Get().AbsPath("/x?token=hidden"),
	} {
		require.Error(t, r.Error())
		require.NotContains(t, r.Error().Error(), "hidden")
	}
}

// Logs never contain credentials: a printed request shows its method and path.
func TestAPrintedRequestShowsMethodAndPath(t *testing.T) {
	client, _ := scripted(t, Config{BearerToken: "hidden"})
	r := client.GroupVersion(coreV1).Post().Resource("pods").Namespace("d").Name("x").
		SetHeader("Authorization", "Bearer hidden").Param("token", "hidden").Body([]byte("hidden"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		require.Equal(t, "POST /api/v1/namespaces/d/pods/x", fmt.Sprintf(verb, r), verb)
		require.Equal(t, "POST /api/v1/namespaces/d/pods/x", fmt.Sprintf(verb, *r), verb)
	}
	require.Equal(t, "POST /api/v1/namespaces/d/pods/x", r.String())
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("sent", "request", r)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("sent", "request", r)
	require.Contains(t, log.String(), "POST /api/v1")
	require.NotContains(t, log.String(), "hidden")
	require.Equal(t, " /", Request{}.String())
}

func TestHeadersOfTheCallerTakePrecedence(t *testing.T) {
	client, sent := scripted(t, Config{}, respondsWith(200, "ok"), respondsWith(200, "ok"))
	_, err := client.Get().AbsPath("/healthz").DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, "application/json, */*", sent.requests[0].Header.Get("Accept"))
	require.Empty(t, sent.requests[0].Header.Get("Content-Type"))

	_, err = client.Post().AbsPath("/x").Body([]byte("y")).SetHeader("accept", "text/plain", "text/html").SetHeader("content-type", "text/csv").SetHeader("X-Gone", "x").SetHeader("X-Gone").DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, http.Header{"Accept": {"text/plain", "text/html"}, "Content-Type": {"text/csv"}}, only(sent.requests[1].Header, "Accept", "Content-Type", "X-Gone"))
}

func only(header http.Header, keys ...string) http.Header {
	kept := http.Header{}
	for _, key := range keys {
		if values, ok := header[key]; ok {
			kept[key] = values
		}
	}
	return kept
}

// The server knows the type of its built-in resources. It rejects a custom resource
// without kind or apiVersion, and any applied object without them: the error explains
// how to fix it.
func TestTheErrorForABodyWithoutAKindHasAHint(t *testing.T) {
	refusal := respondsWith(400, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Object 'Kind' is missing in '{}'","reason":"BadRequest","code":400}`)
	const hint = "set its TypeMeta, or write it through a Resource)"
	const noKind = "(the *rest.widget in the Body has no kind: " + hint
	typed := &widget{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}}
	post := (*RESTClient).Post
	apply := func(c *RESTClient) *Request { return c.Patch(types.ApplyPatchType) }
	merge := func(c *RESTClient) *Request { return c.Patch(types.MergePatchType) }
	for name, c := range map[string]struct {
		verb   func(*RESTClient) *Request
		body   any
		answer answer
		says   string
	}{
		"a custom resource":                    {post, &widget{}, refusal, noKind},
		"a replaced custom resource":           {(*RESTClient).Put, &widget{}, refusal, noKind},
		"an applied custom resource":           {apply, &widget{}, refusal, noKind},
		"a custom resource without apiVersion": {post, map[string]any{"kind": "Widget"}, refusal, "(the map[string]interface {} in the Body has no apiVersion: " + hint},
		"a custom resource with a kind":        {post, typed, refusal, ""},
		"bytes":                                {post, []byte(`{}`), refusal, ""},
		"a patch, which needs no kind":         {merge, &widget{}, refusal, ""},
		"another error":                        {post, &widget{}, respondsWith(403, ""), ""},
		"a built-in kind":                      {post, &widget{}, respondsWith(201, pod), ""},
	} {
		client, _ := scripted(t, Config{}, c.answer)
		err := c.verb(client.GroupVersion(coreV1)).Resource("widgets").Namespace("d").Name("a").Body(c.body).Do(t.Context()).Error()
		if c.says != "" {
			require.True(t, apierrors.IsBadRequest(err))
			require.ErrorContains(t, err, c.says, name)
		} else if err != nil {
			require.NotContains(t, err.Error(), "in the Body has no", name)
		}
	}
}
