package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// recordTrace records all calls of a trace.
func recordTrace(lines *[]string, name string) *Trace {
	say := func(format string, args ...any) { *lines = append(*lines, name+": "+fmt.Sprintf(format, args...)) }
	return &Trace{
		RequestStart: func(i RequestInfo) {
			say("start %d %s %s %s/%s %s %s %s", i.Attempt, i.Verb, i.GroupVersionResource.String(), i.Namespace, i.Name, i.SubResource, i.Method, i.Path)
		},
		RequestDone: func(i RequestInfo, r ResponseInfo) { say("done %d %d %v", i.Attempt, r.Status, r.Err) },
		Retry: func(i RequestInfo, wait time.Duration, cause error) {
			say("retry %d %v", i.Attempt, wait >= time.Second)
		},
		RateLimited: func(i RequestInfo, waited time.Duration) { say("limited %s %v", i.Verb, waited) },
		Wrote: func(w WriteInfo) {
			say("wrote %s %s/%s %s %s@%s", w.Verb, w.Namespace, w.Name, w.SubResource, w.UID, w.ResourceVersion)
		},
	}
}

// Traces are called for every attempt. The trace of the client is called before the
// trace of the context.
func TestATraceReportsEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []string
		client, _ := scripted(t, Config{Trace: recordTrace(&reported, "client"), QPS: 1, Burst: 1}, failsWith(errRefused), respondsWith(200, ""))
		ctx := WithTrace(WithTrace(WithTrace(t.Context(), recordTrace(&reported, "a")), nil), recordTrace(&reported, "b"))
		_, err := client.GroupVersion(appsV1).Get().Namespace("d").Resource("deployments").Name("web").SubResource("scale").Param("secret", "x").DoRaw(ctx)
		require.NoError(t, err)
		var ofOne []string
		for i := 0; i < len(reported); i += 3 {
			require.Equal(t, []string{"client" + reported[i][6:], "a" + reported[i][6:], "b" + reported[i][6:]}, reported[i:i+3])
			ofOne = append(ofOne, reported[i][8:])
		}
		require.Len(t, ofOne, 6)
		require.Equal(t, "start 1 get apps/v1, Resource=deployments d/web scale GET /apis/apps/v1/namespaces/d/deployments/web/scale", ofOne[0])
		require.Contains(t, ofOne[1], "done 1 0 ")
		require.Contains(t, ofOne[1], "connection refused")
		require.Equal(t, "retry 1 false", ofOne[2])
		require.Contains(t, ofOne[3], "limited get ")
		require.Contains(t, ofOne[4], "start 2 get ")
		require.Equal(t, "done 2 200 <nil>", ofOne[5])
	})
}

func TestTheVerbOfARequestIsThatOfTheAPI(t *testing.T) {
	client, _ := scripted(t, Config{})
	core := client.GroupVersion(coreV1)
	pods := func(r *Request) *Request { return r.Resource("pods").Namespace("d") }
	for want, r := range map[string]*Request{
		"get":              pods(core.Get()).Name("x"),
		"list":             pods(core.Get()),
		"watch":            pods(core.Get()).withVerb(verbWatch),
		"create":           pods(core.Post()),
		"update":           pods(core.Put()).Name("x"),
		"patch":            pods(core.Patch(types.JSONPatchType)).Name("x"),
		"delete":           pods(core.Delete()).Name("x"),
		"deletecollection": pods(core.Delete()),
		"head":             pods(core.Verb("HEAD")),
		"options":          client.Verb("OPTIONS").AbsPath("/x"),
	} {
		require.Equal(t, want, r.info().Verb)
	}
	require.Empty(t, core.Get().AbsPath("/api/v2").Resource("pods").info().Version, "another path may have another version")
}

// Wrote reports the stored object, as far as the response contains it.
func TestATraceReportsWrites(t *testing.T) {
	ofPod := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: "web", UID: "u1", ResourceVersion: "7"}}
	const status = `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"web","uid":"u9"}}`
	for _, c := range []struct {
		request  func(*RESTClient) *Request
		answer   answer
		reported []string
	}{
		{(*RESTClient).Post, respondsWith(201, pod), []string{"t: wrote create d/web  u1@7"}},
		{(*RESTClient).Put, respondsWith(200, pod), []string{"t: wrote update d/web  u1@7"}},
		{func(c *RESTClient) *Request { return c.Patch(types.JSONPatchType).Name("web").SubResource("status") }, respondsWith(200, pod), []string{"t: wrote patch d/web status u1@7"}},
		{func(c *RESTClient) *Request { return c.Delete().Name("web") }, respondsWith(200, status), []string{"t: wrote delete d/web  u9@"}},
		{func(c *RESTClient) *Request { return c.Delete().Name("web") }, respondsWith(200, pod), []string{"t: wrote delete d/web  u1@7"}},
		{func(c *RESTClient) *Request { return c.Delete() }, respondsWith(200, `{"kind":"PodList"}`), []string{"t: wrote deletecollection d/  @"}},
		{(*RESTClient).Post, respondsWith(201, "?"), []string{"t: wrote create d/  @"}},
		{(*RESTClient).Post, respondsWith(409, ""), nil},
		{(*RESTClient).Post, respondsWith(200, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`), nil},
		{func(c *RESTClient) *Request { return c.Post().Param("dryRun", "All") }, respondsWith(201, pod), nil},
		{func(c *RESTClient) *Request { return c.Delete().Body(&metav1.DeleteOptions{DryRun: []string{"All"}}) }, respondsWith(200, pod), nil},
		{func(c *RESTClient) *Request {
			options := &metav1.DeleteOptions{DryRun: []string{"All"}}
			return c.Delete().Body(wiretest.ProtobufEnvelope(t, "v1", "DeleteOptions", options))
		}, respondsWith(200, pod), nil},
		{func(c *RESTClient) *Request { return c.Delete().Name("web").Body(&metav1.DeleteOptions{}) }, respondsWith(200, pod), []string{"t: wrote delete d/web  u1@7"}},
		{func(c *RESTClient) *Request { return c.Put().Body([]byte(`{"dryRun":["All"]}`)) }, respondsWith(200, pod), []string{"t: wrote update d/web  u1@7"}},
		{(*RESTClient).Post, respondsWith(201, string(wiretest.ProtobufEnvelope(t, "v1", "Pod", ofPod))), []string{"t: wrote create d/web  u1@7"}},
		{(*RESTClient).Get, respondsWith(200, pod), nil},
	} {
		var reported []string
		client, _ := scripted(t, Config{}, c.answer, c.answer)
		trace := &Trace{Wrote: recordTrace(&reported, "t").Wrote}
		client.config.Trace = trace
		r := c.request(client.GroupVersion(coreV1)).Resource("pods").Namespace("d")
		_ = r.Do(t.Context())
		require.Equal(t, c.reported, reported)
		reported = nil
		_, _ = r.DoRaw(t.Context())
		require.Equal(t, c.reported, reported, "DoRaw")
	}
}

// Created is set for a create, and for a patch or an update that created the object.
func TestATraceReportsWhetherAWriteCreatedTheObject(t *testing.T) {
	apply := func(c *RESTClient) *Request { return c.Patch(types.ApplyPatchType).Name("web") }
	for _, c := range []struct {
		request func(*RESTClient) *Request
		status  int
		created bool
	}{
		{(*RESTClient).Post, 201, true},
		{func(c *RESTClient) *Request { return c.Post().Name("web").SubResource("binding") }, 201, false},
		{apply, 201, true},
		{apply, 200, false},
		{func(c *RESTClient) *Request { return c.Put().Name("web") }, 200, false},
		{func(c *RESTClient) *Request { return c.Delete().Name("web") }, 200, false},
	} {
		var written []WriteInfo
		client, _ := scripted(t, Config{}, respondsWith(c.status, pod))
		client.config.Trace = &Trace{Wrote: func(w WriteInfo) { written = append(written, w) }}
		require.NoError(t, c.request(client.GroupVersion(coreV1)).Resource("pods").Namespace("d").Do(t.Context()).Error())
		require.Len(t, written, 1)
		require.Equal(t, c.created, written[0].Created, "%s %d", written[0].Verb, c.status)
	}
}

// A write that the server has accepted is reported once, even if its response is lost,
// and the error reports that it was accepted.
func TestAnAcceptedWriteWithALostResponseIsReported(t *testing.T) {
	cut := func(request *http.Request) (*http.Response, error) {
		response, err := respondsWith(201, "")(request)
		response.Body, response.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(`{"metadata":`), failing{io.ErrUnexpectedEOF})), -1
		return response, err
	}
	for _, c := range []struct {
		answer answer
		says   string
	}{
		{cut, "read the response after 12 bytes: unexpected EOF"},
		{respondsWith(201, strings.Repeat("x", 1001)), "the response has 1001 bytes, but MaxResponseBytes is 1000"},
		{respondsWith(201, "<html>", "Content-Type", "text/html"), "decode the response into *rest.widget: "},
		{respondsWith(201, `{"metadata":`), "decode the response into *rest.widget: "},
		{respondsWith(201, ""), "decode the response into *rest.widget: it is empty"},
	} {
		var reported []string
		ctx := WithTrace(t.Context(), &Trace{Wrote: recordTrace(&reported, "t").Wrote})
		client, _ := scripted(t, Config{MaxResponseBytes: 1000}, c.answer, c.answer, c.answer)
		send := func(r *Request) *Request { return r.Resource("pods").Namespace("d").Name("web").Body([]byte("{}")) }
		core, code := client.GroupVersion(coreV1), 0
		err := send(core.Put()).Do(ctx).StatusCode(&code).Into(&widget{})
		require.ErrorContains(t, err, "update pods d/web: the server has accepted it (201), but its response is unusable: "+c.says)
		require.Equal(t, 201, code)
		require.Equal(t, []string{"t: wrote update d/web  @"}, reported)

		if _, err = send(core.Put()).DoRaw(ctx); err != nil {
			require.ErrorContains(t, err, "update pods d/web: the server has accepted it (201), but its response is unusable: "+c.says)
		}
		require.Len(t, reported, 2, "the error of DoRaw")

		err = send(core.Get()).Do(ctx).Into(&widget{})
		require.ErrorContains(t, err, "get pods d/web: "+c.says)
		require.Len(t, reported, 2, "reads are not reported as writes")
	}
	var reported []string
	client, _ := scripted(t, Config{}, cut, respondsWith(200, "line"))
	ctx := WithTrace(t.Context(), &Trace{Wrote: recordTrace(&reported, "t").Wrote})
	err := client.GroupVersion(coreV1).Post().Resource("pods").Param("dryRun", "All").Do(ctx).Error()
	require.EqualError(t, err, "create pods: read the response after 12 bytes: unexpected EOF")
	require.Empty(t, reported)
	stream, err := client.GroupVersion(coreV1).Post().Resource("pods").Stream(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.Close())
	require.Equal(t, []string{"t: wrote create /  @"}, reported)
}

// Contexts derived from one context do not share their traces.
func TestTracesOfDerivedContextsAreIndependent(t *testing.T) {
	var reported []string
	base := t.Context()
	for range 3 { // a slice that has grown to three has capacity for a fourth
		base = WithTrace(base, &Trace{})
	}
	first := WithTrace(base, recordTrace(&reported, "first"))
	second := WithTrace(base, recordTrace(&reported, "second"))
	client, _ := scripted(t, Config{}, respondsWith(200, ""), respondsWith(200, ""))
	_, err := client.Get().AbsPath("/x").DoRaw(first)
	require.NoError(t, err)
	require.Len(t, reported, 2)
	require.Contains(t, reported[0], "first: start")
	_, err = client.Get().AbsPath("/x").DoRaw(second)
	require.NoError(t, err)
	require.Len(t, reported, 4)
	require.Contains(t, reported[2], "second: start")
}

// A nil Trace or a nil function is ignored.
func TestANilTraceIsIgnored(t *testing.T) {
	ctx := context.WithValue(t.Context(), traceKey{}, nil)
	client, _ := scripted(t, Config{})
	r := client.GroupVersion(coreV1).Post().Resource("pods")
	for _, trace := range []*Trace{nil, {}} {
		ts := tracesOf(ctx, nil)
		if trace != nil {
			ts = traces{trace}
		}
		info := r.info()
		require.Zero(t, testing.AllocsPerRun(100, func() {
			_ = tracesOf(ctx, nil)
			ts.requestStart(info)
			ts.requestDone(info, ResponseInfo{})
			ts.retry(info, 0, nil)
			ts.rateLimited(info, 0)
			r.reportWrite(ctx, http.StatusOK, func() storedObject { panic("no trace needs the object") })
		}))
	}
}

// reportedWrites sends a write of the pod d/web three times: the caller decodes the
// response, it is decoded into the metadata, and it is decoded into a slim struct. It
// returns what a trace reports for each.
func reportedWrites(t *testing.T, metadata string, write func(*RESTClient) *Request) []WriteInfo {
	t.Helper()
	answer := respondsWith(200, `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"d","name":"web","uid":"u","resourceVersion":"7"`+metadata+`}}`)
	client, _ := scripted(t, Config{}, answer, answer, answer)
	info := ResourceInfo{GroupVersionResource: coreV1.WithResource("pods"), Kind: "Pod", Namespaced: true}
	var writes []WriteInfo
	ctx := WithTrace(t.Context(), &Trace{Wrote: func(w WriteInfo) { writes = append(writes, w) }})
	request := func() *Request {
		return write(client.GroupVersion(coreV1)).Resource("pods").Namespace("d").Name("web").Body([]byte(`{}`))
	}
	require.NoError(t, request().Do(ctx).Error())
	views := NewView[*metav1.PartialObjectMetadata](client, info)
	_, err := views.doObject(ctx, request())
	require.NoError(t, err)
	_, err = NewView[*struct {
		SlimMeta `json:"metadata"`
	}](client, info).doObject(ctx, request())
	require.NoError(t, err)
	require.Len(t, writes, 3)
	for _, w := range writes {
		require.Equal(t, "7", w.ResourceVersion)
		require.Equal(t, views.Host(), w.Host)
	}
	return writes
}

// A write that removes the last finalizer of an object that is being deleted also
// deletes the object. The trace reports that, whatever the response is decoded into.
func TestATraceReportsThatAWriteDeletedTheObject(t *testing.T) {
	const finalized = `,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0`
	for name, c := range map[string]struct {
		metadata, method string
		deleted          bool
	}{
		"the last finalizer":               {finalized, "PATCH", true},
		"the last finalizer, by an update": {finalized, "PUT", true},
		"one finalizer is left":            {finalized + `,"finalizers":["x/y"]`, "PATCH", false},
		"the grace period has not ended":   {`,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":30`, "PATCH", false},
		"not being deleted":                {`,"labels":{"deletionTimestamp":"x"}`, "PATCH", false},
		"a successful delete":              {finalized, "DELETE", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range reportedWrites(t, c.metadata, func(client *RESTClient) *Request {
				return client.Verb(c.method).SetHeader("Content-Type", "application/merge-patch+json")
			}) {
				require.Equal(t, c.deleted, w.Deleted)
			}
		})
	}
}

// The trace reports the labels of a written object whatever the response is decoded
// into. They are nil if the response is not the object.
func TestATraceReportsTheLabelsOfAWrittenObject(t *testing.T) {
	for name, c := range map[string]struct {
		metadata, subresource string
		want                  map[string]string
	}{
		"labels":                          {`,"labels":{"app":"shop"}`, "", map[string]string{"app": "shop"}},
		"no labels":                       {"", "", map[string]string{}},
		"labels in an update of a status": {`,"labels":{"app":"shop"}`, "status", map[string]string{"app": "shop"}},
		"another subresource":             {"", "scale", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range reportedWrites(t, c.metadata, func(client *RESTClient) *Request {
				return client.Put().withSubresource(c.subresource)
			}) {
				require.Equal(t, c.want, w.Labels)
			}
		})
	}
}
