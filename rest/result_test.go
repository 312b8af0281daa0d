package rest

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/pbobj"
	"github.com/thinformer/thinformer/internal/wire"
	"github.com/thinformer/thinformer/internal/wiretest"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"d","uid":"u1","resourceVersion":"7","managedFields":[{"manager":"m"}]},"spec":{"replicas":3,"share":0.5}}`

// widget is a user's type without a scheme and DeepCopyObject.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
}

func TestAResultDecodesIntoAnyType(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(200, pod), respondsWith(200, pod), respondsWith(200, pod), respondsWith(200, `[1,2]`, "Content-Type", "application/json"), respondsWith(200, `{"KIND":"x"}`))
	get := func() Result {
		return client.GroupVersion(coreV1).Get().Resource("pods").Namespace("d").Name("web").Do(t.Context())
	}
	var typed widget
	require.NoError(t, get().Into(&typed))
	require.Equal(t, 3, typed.Spec.Replicas)
	require.Len(t, typed.ManagedFields, 1, "the result of Get has managedFields")

	object, err := get().Get()
	require.NoError(t, err)
	require.Equal(t, "web", object.GetName())
	require.Equal(t, map[string]any{"replicas": int64(3), "share": 0.5}, object.Object["spec"])

	raw, err := get().Raw()
	require.NoError(t, err)
	require.Equal(t, pod, string(raw))

	var numbers []int
	require.NoError(t, get().Into(&numbers))
	require.Equal(t, []int{1, 2}, numbers)

	var strict widget
	require.NoError(t, get().Into(&strict))
	require.Empty(t, strict.Kind, "decoding is case-sensitive")
}

func TestAProtobufResultRequiresATypeWithUnmarshal(t *testing.T) {
	body := string(wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "web"}}))
	for _, c := range []struct {
		body, says string
		target     any
	}{
		{body, "", &metav1.PartialObjectMetadata{}},
		{body, "rest.embedsMeta cannot be decoded from: want application/json", &embedsMeta{}},
		{body, "map[string]interface {} cannot be decoded from: want application/json", &map[string]any{}},
		{"k8s", "", nil},
		{"not protobuf", "", nil},
		{pbobj.Magic + "\x0a\xff", "", nil},
		{body, "unmarshaling panicked: hostile", &panicking{}},
	} {
		client, _ := scripted(t, Config{}, respondsWith(200, c.body, "Content-Type", wire.ProtobufType))
		result := client.Get().AbsPath("/x").Do(t.Context())
		if c.target == nil {
			require.ErrorContains(t, result.Into(&metav1.PartialObjectMetadata{}), "GET /x: decode the response into *v1.PartialObjectMetadata: ")
			continue
		}
		err := result.Into(c.target)
		if c.says != "" {
			require.ErrorContains(t, err, c.says)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "web", c.target.(*metav1.PartialObjectMetadata).Name)
	}
}

// embedsMeta has the Unmarshal method of its embedded ObjectMeta, which would decode
// the wrong fields.
type embedsMeta struct {
	metav1.ObjectMeta `json:"metadata"`
}

type panicking struct{}

func (*panicking) Unmarshal([]byte) error { panic("hostile") }

func (*panicking) UnmarshalJSON([]byte) error { panic("hostile") }

// A View and a Result accept the same content types.
func TestAResultAcceptsTheContentTypesOfAView(t *testing.T) {
	for contentType, fine := range map[string]bool{
		"": true, "application/json": true, "Application/JSON; charset=utf-8": true,
		"application/x+json": false, "application/problem+json": false, "text/plain": false, "application/": false,
	} {
		client, _ := scripted(t, Config{}, respondsWith(200, `{"spec":{"replicas":3}}`, "Content-Type", contentType))
		var object widget
		err := client.Get().AbsPath("/x").Do(t.Context()).Into(&object)
		require.Equal(t, fine, err == nil, "%q: %v", contentType, err)
		client, _ = scripted(t, Config{}, respondsWith(200, `{"metadata":{"name":"a"}}`, "Content-Type", contentType))
		_, err = NewView[*wiretest.Widget](client, widgetInfo).Namespace("shop").Get(t.Context(), "a", metav1.GetOptions{})
		require.Equal(t, fine, err == nil, "%q: %v", contentType, err)
	}
}

func TestAPanicOfUnmarshalingIsAnError(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(200, "{}"))
	err := client.Get().AbsPath("/x").Do(t.Context()).Into(&panicking{})
	require.ErrorContains(t, err, "GET /x: decode the response into *rest.panicking: the type's own unmarshaling panicked: hostile")
}

// An error for a body that cannot be decoded names the content type and the kind.
func TestAResultThatDoesNotMatchItsContentType(t *testing.T) {
	for _, c := range []struct {
		answer answer
		says   string
	}{
		{respondsWith(200, ""), "GET /x: decode the response into *rest.widget: it is empty"},
		{respondsWith(200, "<html>sign in</html>", "Content-Type", "text/html; charset=utf-8"), `the content type "text/html; charset=utf-8", which rest.widget cannot be decoded from: want application/json; it begins with "<html>sign in</html>"`},
		{respondsWith(200, strings.Repeat("ü", 1000), "Content-Type", "text/plain"), `it begins with "` + strings.Repeat("ü", 32) + `"...`},
		{respondsWith(200, `{}`, "Content-Type", ";"), `the content type ";": mime:`},
		{respondsWith(200, `{"metadata":`), "it ends too early, at byte 12"},
		{respondsWith(200, `{} {}`), "after the object, at byte 2 of 5"},
		{respondsWith(200, `{"spec":{"replicas":"three"}}`), "replicas"},
		{respondsWith(200, `{"spec":{"replicas":99999999999999999999}}`), "replicas"},
		{respondsWith(200, strings.Repeat("[", 20000), "Content-Type", "application/json"), "nested deeper than 512 levels"},
	} {
		client, _ := scripted(t, Config{}, c.answer)
		err := client.Get().AbsPath("/x").Do(t.Context()).Into(&widget{})
		require.ErrorContains(t, err, c.says)
		require.Less(t, len(err.Error()), 1000)
	}
	client, _ := scripted(t, Config{}, respondsWith(200, pod), respondsWith(200, "null", "Content-Type", "application/json"))
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(widget{}), "rest.widget is not a non-nil pointer")
	_, err := client.Get().AbsPath("/x").Do(t.Context()).Get()
	require.ErrorContains(t, err, "null")
}

func TestStatusCodeContentTypeAndWarningsOfAResult(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(201, pod, "Warning", `299 - "old"`), respondsWith(200, pod), respondsWith(404, ""))
	var code int
	var contentType string
	var created bool
	result := client.Put().AbsPath("/x").Do(t.Context()).StatusCode(&code).ContentType(&contentType).WasCreated(&created)
	require.NoError(t, result.Error())
	require.Equal(t, 201, code)
	require.Equal(t, "application/json", contentType)
	require.True(t, created)
	require.Equal(t, []Warning{{Code: 299, Agent: "-", Text: "old"}}, result.Warnings())
	client.Put().AbsPath("/x").Do(t.Context()).WasCreated(&created)
	require.False(t, created)
	client.Put().AbsPath("/x").Do(t.Context()).StatusCode(&code)
	require.Equal(t, 404, code)

	// A failed result reports the same. Its status code is the HTTP status code, not the
	// code of the Status in the body.
	refusal := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":500}`
	client, _ = scripted(t, Config{}, respondsWith(403, refusal, "Warning", `299 - "old"`))
	result = client.Put().AbsPath("/x").Do(t.Context()).StatusCode(&code).ContentType(&contentType)
	require.True(t, apierrors.IsForbidden(result.Error()))
	require.Equal(t, 403, code)
	require.Equal(t, "application/json", contentType)
	require.Equal(t, []Warning{{Code: 299, Agent: "-", Text: "old"}}, result.Warnings())
}

// Memory is bounded by the announced length and by the actual length.
func TestAResultIsBounded(t *testing.T) {
	sent, closed := 0, false
	endlessly := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: endlessBody{&sent, &closed}, ContentLength: -1}, nil
	}
	announced := func(request *http.Request) (*http.Response, error) {
		response, _ := endlessly(request)
		response.ContentLength = 1 << 50
		return response, nil
	}
	client, _ := scripted(t, Config{MaxResponseBytes: 1000}, endlessly, announced, respondsWith(200, strings.Repeat("x", 1000)), respondsWith(200, strings.Repeat("x", 1001)))
	_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.EqualError(t, err, "GET /x: the response is larger than MaxResponseBytes, 1000")
	require.Less(t, sent, 10000)
	sent = 0
	_, err = client.Get().AbsPath("/x").DoRaw(t.Context())
	require.EqualError(t, err, "GET /x: the response has 1125899906842624 bytes, but MaxResponseBytes is 1000")
	require.Zero(t, sent)
	body, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err)
	require.Len(t, body, 1000)
	_, err = client.Get().AbsPath("/x").DoRaw(t.Context())
	require.Error(t, err)
}

// The response to a HEAD announces the length of the body of a GET, and has no body.
func TestTheContentLengthOfAHeadIsIgnored(t *testing.T) {
	client, _ := scripted(t, Config{MaxResponseBytes: 10}, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, ContentLength: 1000}, nil
	})
	body, err := client.Verb("HEAD").AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err)
	require.Empty(t, body)
}

// The limit applies to the decompressed body.
func TestACompressedBodyIsBoundedAfterDecompression(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		require.Equal(t, "gzip", request.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 64 {
			if _, err := packed.Write(zeros); err != nil {
				return
			}
		}
		_ = packed.Close()
	}))
	defer server.Close()
	client, err := New(&Config{Host: server.URL, MaxResponseBytes: 1 << 20})
	require.NoError(t, err)
	defer client.Close()
	_, err = client.Get().AbsPath("/x").DoRaw(t.Context())
	require.EqualError(t, err, "GET /x: the response is larger than MaxResponseBytes, 1048576")
}

// A truncated response is an error, never a partial result.
func TestATruncatedResponseIsAnError(t *testing.T) {
	breaksOff := func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(`{"kind":"Pod"}`), failing{io.ErrUnexpectedEOF})
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), ContentLength: -1}, nil
	}
	client, sent := scripted(t, Config{}, breaksOff)
	err := client.Get().AbsPath("/x").Do(t.Context()).Into(&widget{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.EqualError(t, err, "GET /x: read the response after 14 bytes: unexpected EOF")
	require.Len(t, sent.requests, 1)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Errors never contain credentials: a *url.Error contains the whole query.
func TestATransportErrorDoesNotShowTheURL(t *testing.T) {
	wrapped := &url.Error{Op: "Post", URL: "https://server/?token=hidden", Err: errors.New("no route")}
	client, _ := scripted(t, Config{}, failsWith(wrapped))
	_, err := client.GroupVersion(coreV1).Post().Resource("pods").Namespace("d").Param("token", "hidden").DoRaw(t.Context())
	require.ErrorContains(t, err, "create pods in namespace d: ")
	require.ErrorContains(t, err, "no route")
	require.NotContains(t, err.Error(), "hidden")
}

// Raw returns the body of a failed response in any content type.
func TestRawReturnsTheBodyOfAnError(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(500, "etcd is gone"), respondsWith(409, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}`), failsWith(errReset))
	body, err := client.Get().AbsPath("/x").Do(t.Context()).Raw()
	require.Error(t, err)
	require.Equal(t, "etcd is gone", string(body))
	body, err = client.Post().AbsPath("/x").DoRaw(t.Context())
	require.True(t, apierrors.IsConflict(err))
	require.Contains(t, string(body), `"code":409`)
	body, err = client.Post().AbsPath("/x").Do(t.Context()).Raw()
	require.Error(t, err)
	require.Empty(t, body, "no response was received")
}

// Result.Into and Result.Get have the same limit.
func TestTheMemoryOfAResultIsBounded(t *testing.T) {
	body := `{"spec":{"boxes":` + repeatedArray("{}") + `}}`
	client, _ := scripted(t, Config{Decode: DecodeOptions{MaxObjectMemory: 1 << 20}}, respondsWith(200, body), respondsWith(200, body), respondsWith(200, repeatedArray("{}"), "Content-Type", wire.JSONType),
		respondsWith(200, body), respondsWith(200, "["+repeatedArray("{}")+"]", "Content-Type", wire.JSONType), respondsWith(200, `{"spec":{"boxes":[{},{}]}}`))
	_, err := client.Get().AbsPath("/x").Do(t.Context()).Get()
	require.ErrorContains(t, err, "MaxObjectMemory")
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&largeFields{}), "in spec.boxes[")
	var boxes []box
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&boxes), "MaxObjectMemory")
	var pointer *largeFields
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&pointer), "in spec.boxes[")
	var array [1][]box
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&array), "MaxObjectMemory")
	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&pointer))
	require.Len(t, pointer.Spec.Boxes, 2)
}

// The limit applies to each object, not to a list. A list that is decoded whole may
// take several times its bytes, but a few bytes may not represent many large structs.
func TestTheMemoryOfAListInAResultIsProportional(t *testing.T) {
	items := func(item string) string {
		return `{"metadata":{"resourceVersion":"1"},"items":[` + strings.Repeat(item+",", 2_000) + item + `]}`
	}
	usual := items(`{"metadata":{"name":"web-5d9c7b9d4f-2xkqp","namespace":"default","uid":"0b2c4bcd-6a6f-4b11-8d0e-1c9f3a1f9a10","resourceVersion":"123456","creationTimestamp":"2026-01-01T00:00:00Z"}}`)
	client, _ := scripted(t, Config{Decode: DecodeOptions{MaxObjectMemory: 64 << 10}}, respondsWith(200, usual), respondsWith(200, items("{}")), respondsWith(200, usual))
	var list metav1.PartialObjectMetadataList
	require.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&list))
	require.Len(t, list.Items, 2_001)
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&list), "MaxObjectMemory")
	var object unstructured.Unstructured
	require.ErrorContains(t, client.Get().AbsPath("/x").Do(t.Context()).Into(&object), "MaxObjectMemory")
}

// largeFields has fields whose Go types are large although they are empty on the wire.
type largeFields struct {
	Spec struct {
		Boxes []box `json:"boxes"`
	} `json:"spec"`
}

type box struct {
	Sides [64]int64 `json:"sides"`
}

// repeatedArray returns an array of 300,001 elements.
func repeatedArray(element string) string {
	return "[" + strings.Repeat(element+",", 300_000) + element + "]"
}
