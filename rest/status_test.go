package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/pbobj"
)

func inProtobuf(t *testing.T, apiVersion, kind string, object interface{ Marshal() ([]byte, error) }) string {
	t.Helper()
	raw, err := object.Marshal()
	require.NoError(t, err)
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	body, err := envelope.Marshal()
	require.NoError(t, err)
	return pbobj.Magic + string(body)
}

// Errors are apimachinery's, so that apierrors.IsNotFound and the rest work.
func TestTheErrorOfAnAnswer(t *testing.T) {
	protobuf := inProtobuf(t, "v1", "Status", &metav1.Status{Status: "Failure", Reason: "AlreadyExists", Code: 409, Message: "it is there"})
	for _, c := range []struct {
		what    string
		answer  answer
		is      func(error) bool
		message string
	}{
		{"a Status", says(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods \"x\" not found","reason":"NotFound","details":{"name":"x","kind":"pods"},"code":404}`), apierrors.IsNotFound, `pods "x" not found`},
		{"a Status as text", says(409, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"AlreadyExists"}`, "Content-Type", "text/plain"), apierrors.IsAlreadyExists, "m"},
		{"a Status in protobuf", says(409, protobuf, "Content-Type", "application/vnd.kubernetes.protobuf"), apierrors.IsAlreadyExists, "it is there"},
		{"a Status without words", says(403, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`), apierrors.IsForbidden, "unknown (get pods.apps x)"},
		{"nothing", says(404, ""), apierrors.IsNotFound, "the server could not find the requested resource (get pods.apps x)"},
		{"the HTML of a proxy", says(504, "<html>gateway</html>", "Content-Type", "text/html"), apierrors.IsTimeout, "the server was unable to return a response in the time allotted, but may still be processing the request (get pods.apps x)"},
		{"text", says(500, "etcd is gone\n"), apierrors.IsInternalError, `an error on the server ("etcd is gone") has prevented the request from succeeding (get pods.apps x)`},
		{"bytes", says(500, "\x00\x01", "Content-Type", "application/octet-stream"), apierrors.IsInternalError, `an error on the server ("unknown") has prevented`},
		{"half a Status", says(500, `{"kind":"Status","apiVersion":"v1","status":"Fai`), apierrors.IsInternalError, "an error on the server"},
		{"a Status of success", says(500, `{"kind":"Status","apiVersion":"v1","status":"Success"}`), apierrors.IsInternalError, "an error on the server"},
		{"a Status that says to be HTML", says(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden"}`, "Content-Type", "text/html"), apierrors.IsNotFound, "could not find"},
		{"a Status with more behind it", says(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden"}{}`), apierrors.IsNotFound, "could not find"},
		{"a Status that is none", says(404, `{"kind":"Status","apiVersion":"v1","reason":7}`), apierrors.IsNotFound, "could not find"},
		{"another kind", says(404, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"Status"}}`), apierrors.IsNotFound, "could not find"},
		{"another kind of that name", says(404, `{"kind":"Status","apiVersion":"shop/v1","message":"sold"}`), apierrors.IsNotFound, "could not find"},
		{"another kind in protobuf", says(404, inProtobuf(t, "v1", "Pod", &metav1.Status{Status: "Failure", Reason: "Forbidden"}), "Content-Type", protobufType), apierrors.IsNotFound, "could not find"},
		{"another kind of that name in protobuf", says(404, inProtobuf(t, "shop/v1", "Status", &metav1.Status{Status: "Failure", Reason: "Forbidden"}), "Content-Type", protobufType), apierrors.IsNotFound, "could not find"},
		{"protobuf that lies", says(404, pbobj.Magic+"\xff\xff\xff\xff\xff", "Content-Type", protobufType), apierrors.IsNotFound, "could not find"},
		{"401", says(401, ""), apierrors.IsUnauthorized, "the server has asked for the client to provide credentials"},
		{"405", says(405, ""), apierrors.IsMethodNotSupported, "does not allow"},
		{"406", says(406, ""), apierrors.IsNotAcceptable, "content type"},
		{"413", says(413, ""), apierrors.IsRequestEntityTooLargeError, ""},
		{"415", says(415, ""), apierrors.IsUnsupportedMediaType, ""},
		{"422", says(422, ""), apierrors.IsInvalid, ""},
		{"429", says(429, ""), apierrors.IsTooManyRequests, ""},
		{"304", says(304, "", "Location", "https://elsewhere/?token=hidden"), func(error) bool { return true }, "status code 304"},
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

// A conflict of a POST is an object that exists, as in client-go.
func TestTheReasonDependsOnTheVerb(t *testing.T) {
	const silent = `{"kind":"Status","apiVersion":"v1","status":"Failure"}`
	client, _ := scripted(t, Config{}, says(409, ""), says(409, ""), says(409, silent))
	core := client.GroupVersion(coreV1)
	require.True(t, apierrors.IsAlreadyExists(core.Post().Resource("pods").Body([]byte("{}")).Do(t.Context()).Error()))
	require.True(t, apierrors.IsConflict(core.Put().Resource("pods").Name("x").Body([]byte("{}")).Do(t.Context()).Error()))
	require.True(t, apierrors.IsAlreadyExists(core.Post().Resource("pods").Body([]byte("{}")).Do(t.Context()).Error()))
}

func TestAnErrorWithoutAResourceNamesThePath(t *testing.T) {
	client, _ := scripted(t, Config{}, says(404, ""))
	_, err := client.Get().AbsPath("/no/such").Param("token", "hidden").DoRaw(t.Context())
	require.EqualError(t, err, "the server could not find the requested resource (GET /no/such)")
}

// Retry-After is kept for who repeats the request himself.
func TestRetryAfterIsInTheError(t *testing.T) {
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}`
	for _, body := range []string{"", status} {
		client, _ := scripted(t, Config{}, says(429, body, "Retry-After", "100"))
		_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		wait, named := apierrors.SuggestsClientDelay(err)
		require.True(t, named)
		require.Equal(t, 100, wait)
	}
}

// A hostile server is survived: what is quoted and what is read are bounded.
func TestAnEndlessErrorIsReadOnlySoFar(t *testing.T) {
	read, closed := 0, false
	client, _ := scripted(t, Config{}, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: endless{&read, &closed}, ContentLength: -1}, nil
	})
	_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.True(t, apierrors.IsInternalError(err))
	require.Less(t, len(err.Error()), 2*longestText)
	require.LessOrEqual(t, read, 2*largestStatus)
	require.True(t, closed)
}

// endless is a body without an end, of which nobody should read much.
type endless struct {
	read   *int
	closed *bool
}

func (e endless) Read(p []byte) (int, error) {
	*e.read += len(p)
	return copy(p, strings.Repeat("x", len(p))), nil
}

func (e endless) Close() error {
	*e.closed = true
	return nil
}

// A 200 whose body is a failure is a failure.
func TestASuccessThatCarriesAFailureIsAnError(t *testing.T) {
	failure := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"gone"}`
	client, _ := scripted(t, Config{}, says(200, failure), says(200, failure), says(200, `{"kind":"Status","apiVersion":"v1","status":"Success"}`),
		says(200, `{"kind":"Status","apiVersion":"v1","message":"neither"}`), says(200, failure+"\nthe log goes on", "Content-Type", "text/plain"))
	result := client.Get().AbsPath("/x").Do(t.Context())
	require.True(t, apierrors.IsNotFound(result.Error()))
	require.True(t, apierrors.IsNotFound(result.Into(&metav1.Status{})))
	_, err := result.Get()
	require.True(t, apierrors.IsNotFound(err))

	raw, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err, "raw is raw")
	require.Equal(t, failure, string(raw))

	var status metav1.Status
	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&status))
	require.Equal(t, "Success", status.Status)

	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&status), "only a failure is one")
	require.Equal(t, "neither", status.Message)
	raw, err = client.Get().AbsPath("/x").Do(t.Context()).Raw()
	require.NoError(t, err, "a log may begin with a Status")
	require.Contains(t, string(raw), "the log goes on")
}
