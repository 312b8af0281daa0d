package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/pbobj"
	"github.com/thinformer/thinformer/internal/wire"
	"github.com/thinformer/thinformer/internal/wiretest"
)

// Errors are those of apimachinery, so that apierrors.IsNotFound and the like work.
func TestFailedResponsesAreStatusErrors(t *testing.T) {
	protobuf := string(wiretest.ProtobufEnvelope(t, "v1", "Status", &metav1.Status{Status: "Failure", Reason: "AlreadyExists", Code: 409, Message: "it is there"}))
	for _, c := range []struct {
		what    string
		answer  answer
		is      func(error) bool
		message string
	}{
		{"a Status", respondsWith(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods \"x\" not found","reason":"NotFound","details":{"name":"x","kind":"pods"},"code":404}`), apierrors.IsNotFound, `pods "x" not found`},
		{"a Status as text", respondsWith(409, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"AlreadyExists"}`, "Content-Type", "text/plain"), apierrors.IsAlreadyExists, "m"},
		{"a Status in protobuf", respondsWith(409, protobuf, "Content-Type", "application/vnd.kubernetes.protobuf"), apierrors.IsAlreadyExists, "it is there"},
		{"a Status without a message", respondsWith(403, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`), apierrors.IsForbidden, "unknown (get pods.apps x)"},
		{"nothing", respondsWith(404, ""), apierrors.IsNotFound, "the server could not find the requested resource (get pods.apps x)"},
		{"the HTML of a proxy", respondsWith(504, "<html>gateway</html>", "Content-Type", "text/html"), apierrors.IsTimeout, "the server was unable to return a response in the time allotted, but may still be processing the request (get pods.apps x)"},
		{"text", respondsWith(500, "etcd is gone\n"), apierrors.IsInternalError, `an error on the server ("etcd is gone") has prevented the request from succeeding (get pods.apps x)`},
		{"bytes", respondsWith(500, "\x00\x01", "Content-Type", "application/octet-stream"), apierrors.IsInternalError, `an error on the server ("unknown") has prevented`},
		{"a truncated Status", respondsWith(500, `{"kind":"Status","apiVersion":"v1","status":"Fai`), apierrors.IsInternalError, "an error on the server"},
		{"a success Status", respondsWith(500, `{"kind":"Status","apiVersion":"v1","status":"Success"}`), apierrors.IsInternalError, "an error on the server"},
		{"a Status with the content type of HTML", respondsWith(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden"}`, "Content-Type", "text/html"), apierrors.IsNotFound, "could not find"},
		{"a Status followed by other bytes", respondsWith(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden"}{}`), apierrors.IsNotFound, "could not find"},
		{"an invalid Status", respondsWith(404, `{"kind":"Status","apiVersion":"v1","reason":7}`), apierrors.IsNotFound, "could not find"},
		{"another kind", respondsWith(404, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"Status"}}`), apierrors.IsNotFound, "could not find"},
		{"another kind named Status", respondsWith(404, `{"kind":"Status","apiVersion":"shop/v1","message":"sold"}`), apierrors.IsNotFound, "could not find"},
		{"another kind, in protobuf", respondsWith(404, string(wiretest.ProtobufEnvelope(t, "v1", "Pod", &metav1.Status{Status: "Failure", Reason: "Forbidden"})), "Content-Type", wire.ProtobufType), apierrors.IsNotFound, "could not find"},
		{"another kind named Status, in protobuf", respondsWith(404, string(wiretest.ProtobufEnvelope(t, "shop/v1", "Status", &metav1.Status{Status: "Failure", Reason: "Forbidden"})), "Content-Type", wire.ProtobufType), apierrors.IsNotFound, "could not find"},
		{"protobuf with wrong lengths", respondsWith(404, pbobj.Magic+"\xff\xff\xff\xff\xff", "Content-Type", wire.ProtobufType), apierrors.IsNotFound, "could not find"},
		{"401", respondsWith(401, ""), apierrors.IsUnauthorized, "the server has asked for the client to provide credentials"},
		{"405", respondsWith(405, ""), apierrors.IsMethodNotSupported, "does not allow"},
		{"406", respondsWith(406, ""), apierrors.IsNotAcceptable, "content type"},
		{"413", respondsWith(413, ""), apierrors.IsRequestEntityTooLargeError, ""},
		{"415", respondsWith(415, ""), apierrors.IsUnsupportedMediaType, ""},
		{"422", respondsWith(422, ""), apierrors.IsInvalid, ""},
		{"429", respondsWith(429, ""), apierrors.IsTooManyRequests, ""},
		{"304", respondsWith(304, "", "Location", "https://elsewhere/?token=hidden"), func(error) bool { return true }, "status code 304"},
	} {
		client, _ := scripted(t, Config{}, c.answer)
		err := client.GroupVersion(appsV1).Get().Resource("pods").Name("x").Do(t.Context()).Error()
		var status *apierrors.StatusError
		require.ErrorAs(t, err, &status, c.what)
		require.True(t, c.is(err), "%s: %#v", c.what, err)
		require.ErrorContains(t, err, c.message, c.what)
		require.NotContains(t, fmt.Sprintf("%+v", err), "hidden")
		require.NotZero(t, status.ErrStatus.Code)
		require.Equal(t, metav1.StatusFailure, status.ErrStatus.Status)
	}
}

// As in client-go, a conflict of a POST means that the object exists.
func TestTheReasonDependsOnTheVerb(t *testing.T) {
	const silent = `{"kind":"Status","apiVersion":"v1","status":"Failure"}`
	client, _ := scripted(t, Config{}, respondsWith(409, ""), respondsWith(409, ""), respondsWith(409, silent))
	core := client.GroupVersion(coreV1)
	require.True(t, apierrors.IsAlreadyExists(core.Post().Resource("pods").Body([]byte("{}")).Do(t.Context()).Error()))
	require.True(t, apierrors.IsConflict(core.Put().Resource("pods").Name("x").Body([]byte("{}")).Do(t.Context()).Error()))
	require.True(t, apierrors.IsAlreadyExists(core.Post().Resource("pods").Body([]byte("{}")).Do(t.Context()).Error()))
}

func TestAnErrorWithoutAResourceNamesThePath(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(404, ""))
	_, err := client.Get().AbsPath("/no/such").Param("token", "hidden").DoRaw(t.Context())
	require.EqualError(t, err, "the server could not find the requested resource (GET /no/such)")
}

// The error keeps Retry-After for callers with their own retries.
func TestTheErrorHasRetryAfter(t *testing.T) {
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}`
	for _, body := range []string{"", status} {
		client, _ := scripted(t, Config{}, respondsWith(429, body, "Retry-After", "100"))
		_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		wait, named := apierrors.SuggestsClientDelay(err)
		require.True(t, named)
		require.Equal(t, 100, wait)
	}
}

// Protection against a hostile server: the bytes read and quoted are bounded.
func TestAnEndlessErrorIsReadUpToALimit(t *testing.T) {
	read, closed := 0, false
	client, _ := scripted(t, Config{}, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: endlessBody{&read, &closed}, ContentLength: -1}, nil
	})
	_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.True(t, apierrors.IsInternalError(err))
	require.Less(t, len(err.Error()), 2*maxTextBytes)
	require.LessOrEqual(t, read, 2*maxStatusBytes)
	require.True(t, closed)
}

// endlessBody is a body without an end. Clients must stop reading it.
type endlessBody struct {
	read   *int
	closed *bool
}

func (e endlessBody) Read(p []byte) (int, error) {
	*e.read += len(p)
	return copy(p, strings.Repeat("x", len(p))), nil
}

func (e endlessBody) Close() error {
	*e.closed = true
	return nil
}

// A 200 response with a failure Status is a failure.
func TestAFailureStatusInA200IsAnError(t *testing.T) {
	failure := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"gone"}`
	client, _ := scripted(t, Config{}, respondsWith(200, failure), respondsWith(200, failure), respondsWith(200, `{"kind":"Status","apiVersion":"v1","status":"Success"}`),
		respondsWith(200, `{"kind":"Status","apiVersion":"v1","message":"neither"}`), respondsWith(200, failure+"\nthe log goes on", "Content-Type", "text/plain"))
	result := client.Get().AbsPath("/x").Do(t.Context())
	require.True(t, apierrors.IsNotFound(result.Error()))
	require.True(t, apierrors.IsNotFound(result.Into(&metav1.Status{})))
	_, err := result.Get()
	require.True(t, apierrors.IsNotFound(err))

	raw, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err, "Raw is unchanged")
	require.Equal(t, failure, string(raw))

	var status metav1.Status
	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&status))
	require.Equal(t, "Success", status.Status)

	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&status), "only a failure Status is an error")
	require.Equal(t, "neither", status.Message)
	raw, err = client.Get().AbsPath("/x").Do(t.Context()).Raw()
	require.NoError(t, err, "a log may begin with the text of a Status")
	require.Contains(t, string(raw), "the log goes on")
}

// The message of a server often does not name the request. The error adds verb,
// resource, namespace and name, and remains a StatusError.
func TestTheErrorOfAServerNamesTheRequest(t *testing.T) {
	const failure = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"an error on the server (\"\") has prevented the request from succeeding","reason":"InternalError","code":500}`
	info := ResourceInfo{GroupVersionResource: appsV1.WithResource("deployments"), Namespaced: true, Kind: "Deployment"}
	get := func(v *View[*SlimMeta]) error {
		_, err := v.Get(t.Context(), "web", metav1.GetOptions{})
		return err
	}
	list := func(v *View[*SlimMeta]) error {
		_, err := v.List(t.Context(), metav1.ListOptions{})
		return err
	}
	watch := func(v *View[*SlimMeta]) error {
		w, err := v.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		_, err = w.Next(t.Context())
		return err
	}
	for name, c := range map[string]struct {
		send   func(*View[*SlimMeta]) error
		answer answer
		want   string
	}{
		"a Status":                    {get, respondsWith(500, failure), "(get deployments.apps shop/web)"},
		"a Status with 200":           {get, respondsWith(200, failure), "(get deployments.apps shop/web)"},
		"text":                        {list, respondsWith(500, "etcd is gone"), `an error on the server ("etcd is gone") has prevented the request from succeeding (list deployments.apps in namespace shop)`},
		"nothing":                     {watch, respondsWith(503, ""), "(watch deployments.apps in namespace shop)"},
		"429":                         {watch, respondsWith(429, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"slow down","reason":"TooManyRequests","code":429}`), "slow down (watch deployments.apps in namespace shop)"},
		"an ERROR event":              {watch, respondsWith(200, `{"type":"ERROR","object":`+failure+`}`), "(watch deployments.apps in namespace shop)"},
		"a 404 that names the object": {get, respondsWith(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","code":404}`), `deployments.apps "web" not found`},
		"a 404 without a message":     {get, respondsWith(404, ""), "(get deployments.apps shop/web)"},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := scripted(t, Config{}, c.answer)
			err := c.send(NewView[*SlimMeta](client, info).Namespace("shop"))
			var status *apierrors.StatusError
			require.ErrorAs(t, err, &status)
			require.Contains(t, err.Error(), c.want)
			require.NotContains(t, err.Error(), ") (", "the request is named once: %v", err)
		})
	}
}
