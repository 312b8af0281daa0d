package client

import (
	"errors"
	"fmt"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func into(t *judge.T, parts stack.Parts) {
	for _, code := range []int{200, 201, 202, 299} {
		var got stack.ConfigMap
		if err := getWeb(t, parts, responding(t, code, jsonType, object)).into(&got); err != nil {
			t.Fatalf("a ConfigMap with code %d: Into returns %s, want none: 200 to 299 are successes", code, judge.ShortError(err))
		}
		if got.Kind != "ConfigMap" || got.Name != "web" || got.ResourceVersion != "7" || got.Data["color"] != "blue" {
			t.Fatalf("Into decodes %+v from %s", got, object)
		}
	}
	list := struct {
		Metadata metav1.ListMeta    `json:"metadata"`
		Items    []*stack.ConfigMap `json:"items"`
	}{}
	content := `{"kind":"ConfigMapList","metadata":{"resourceVersion":"9","continue":"next"},"items":[` + object + "," + object + "]}\n"
	if err := getWeb(t, parts, responding(t, 200, jsonType, content)).into(&list); err != nil {
		t.Fatalf("a list: Into returns %s, want none", judge.ShortError(err))
	}
	large, text := new(stack.ConfigMap), strings.Repeat("0123456789", 200_000)
	content = strings.Replace(object, "blue", text, 1) // 2 MB
	if err := getWeb(t, parts, responding(t, 200, jsonType, content)).into(large); err != nil || large.Data["color"] != text {
		t.Fatalf("an object of 2 MB: Into returns %s and decodes %d bytes of data", judge.ShortError(err), len(large.Data["color"]))
	}
	if list.Metadata.Continue != "next" || len(list.Items) != 2 || list.Items[1].Name != "web" {
		t.Fatalf("Into decodes %+v from %s", list, judge.Short(content))
	}
}

func caseSensitive(t *judge.T, parts stack.Parts) {
	var got stack.ConfigMap
	content := strings.Replace(object, `"data":`, `"Data":{"color":"red"},"DATA":{"color":"green"},"data":`, 1)
	content = strings.Replace(content, `{"color":"blue"}`, `{"color":"blue"},"daTa":{"color":"black"}`, 1)
	if err := getWeb(t, parts, responding(t, 200, jsonType, content)).into(&got); err != nil || len(got.Data) != 1 || got.Data["color"] != "blue" {
		t.Fatalf("an object has the fields Data, DATA, data and daTa: Into decodes data as %v, want %v\nThe others are unknown fields: CaseSensitive of json-iterator.", got.Data, map[string]string{"color": "blue"})
	}
}

// failure returns a Status.
func failure(fields string) string {
	return `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` + fields + `}`
}

func statusErrors(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		code   int
		fields string
		is     func(error) bool
		name   string
	}{
		{404, `"message":"no","reason":"NotFound","details":{"name":"web","kind":"configmaps"},"code":404`, apierrors.IsNotFound, "IsNotFound"},
		{409, `"message":"no","reason":"AlreadyExists","details":{"name":"web","kind":"configmaps"},"code":409`, apierrors.IsAlreadyExists, "IsAlreadyExists"},
		{409, `"message":"no","reason":"Conflict","details":{"name":"web","kind":"configmaps"},"code":409`, apierrors.IsConflict, "IsConflict"},
		{410, `"message":"no","reason":"Expired","details":{"name":"web"},"code":410`, apierrors.IsResourceExpired, "IsResourceExpired"},
	} {
		for _, failed := range doAndStream(t, parts, test.code, jsonType, failure(test.fields)) {
			call, err := failed.call, failed.err
			if !test.is(err) {
				t.Fatalf("code %d with %s\n%s returns %s, for which errors.%s is false", test.code, judge.Short(failure(test.fields)), call, judge.ShortError(err), test.name)
			}
			var status *apierrors.StatusError
			if !errors.As(err, &status) || status.ErrStatus.Details == nil || status.ErrStatus.Details.Name != "web" || status.ErrStatus.Message != "no" {
				t.Fatalf("code %d with %s\n%s returns %s, without the message and the details of the Status", test.code, judge.Short(failure(test.fields)), call, judge.ShortError(err))
			}
			wantNamed(t, err)
		}
	}
	r := responding(t, 200, jsonType, object)
	unsent := func() builder { return verb(t, newClient(t, parts, r), "DELETE").resource("configmaps").name("a/b") }
	_, streamed := unsent().stream()
	for _, failed := range []failedCall{{"Do", unsent().into(nil)}, {"Stream", streamed}} {
		if text := fmt.Sprint(failed.err); !strings.Contains(text, "DELETE") || !strings.Contains(text, "/api/v1") {
			t.Fatalf("after Name(%q), %s returns %s, want an error that names the request: DELETE, and the path as far as it is set", "a/b", failed.call, judge.Short(text))
		}
	}
}

// doAndStream returns the errors of Do with Into, and of Stream.
func doAndStream(t *judge.T, parts stack.Parts, code int, contentType, content string) []failedCall {
	var into stack.ConfigMap
	r := responding(t, code, contentType, content)
	_, streamed := getWeb(t, parts, r).stream()
	done := getWeb(t, parts, r).into(&into)
	if done == nil || streamed == nil {
		t.Fatalf("code %d with %s: Do and Into return %s, Stream returns %s, want an error of both", code, judge.Short(content), judge.ShortError(done), judge.ShortError(streamed))
	}
	if len(r.requests) != 2 {
		t.Fatalf("code %d was the response to one Do and to one Stream, and %d requests were received, want 2: nothing is retried", code, len(r.requests))
	}
	return []failedCall{{"Do", done}, {"Stream", streamed}}
}

func statusWithSuccess(t *judge.T, parts stack.Parts) {
	gone := failure(`"message":"no","reason":"NotFound","code":404`)
	var object stack.ConfigMap
	if err := getWeb(t, parts, responding(t, 200, jsonType, gone)).into(&object); !apierrors.IsNotFound(err) {
		t.Fatalf("code 200 with %s\nDo and Into return %s, want the error of the Status: errors.IsNotFound", judge.Short(gone), judge.ShortError(err))
	}
	if err := getWeb(t, parts, responding(t, 200, jsonType, gone)).into(nil); !apierrors.IsNotFound(err) {
		t.Fatalf("code 200 with %s\nDo and Into(nil) return %s, want the error of the Status: errors.IsNotFound", judge.Short(gone), judge.ShortError(err))
	}
	other := `{"kind":"ConfigMap","metadata":{"name":"web"},"status":"Failure"}`
	if err := getWeb(t, parts, responding(t, 200, jsonType, other)).into(&object); err != nil {
		t.Fatalf("code 200 with %s\nDo and Into return %s, want none: the kind is not Status", judge.Short(other), judge.ShortError(err))
	}
	success := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"web"}}`
	if err := getWeb(t, parts, responding(t, 200, jsonType, success)).into(nil); err != nil {
		t.Fatalf("code 200 with %s\nDo and Into(nil) return %s, want none: it is the response to a DELETE", judge.Short(success), judge.ShortError(err))
	}
}

const page = "<html><head><title>502 Bad Gateway</title></head><body>proxy</body></html>"

func withoutStatus(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		code          int
		kind, content string
		is            func(error) bool
		name          string
	}{
		{404, "text/plain", "404 page not found\n", apierrors.IsNotFound, "IsNotFound"},
		{401, "text/html", "", apierrors.IsUnauthorized, "IsUnauthorized"},
		{404, jsonType, `{"kind":"Error","status":"Failure","message":"no"}`, apierrors.IsNotFound, "IsNotFound"},
		{410, jsonType, "null", apierrors.IsGone, "IsGone"},
		{429, "text/plain", "slow down", apierrors.IsTooManyRequests, "IsTooManyRequests"},
		{500, jsonType, `{"error":`, apierrors.IsInternalError, "IsInternalError"},
		{503, "text/html", page, apierrors.IsServiceUnavailable, "IsServiceUnavailable"},
	} {
		for _, failed := range doAndStream(t, parts, test.code, test.kind, test.content) {
			call, err := failed.call, failed.err
			if !test.is(err) {
				t.Fatalf("code %d with %s, which is no Status\n%s returns %s, for which errors.%s is false: errors.NewGenericServerResponse", test.code, judge.Short(test.content), call, judge.ShortError(err), test.name)
			}
			wantNamed(t, err)
		}
	}
	for _, failed := range doAndStream(t, parts, 502, "text/html", page) {
		err := failed.err
		if !strings.Contains(err.Error(), "502 Bad Gateway") {
			t.Fatalf("code 502 with the HTML page of a proxy: the error is %s, want one that quotes the page", judge.Short(err.Error()))
		}
	}
	for _, failed := range doAndStream(t, parts, 404, "text/plain", "no such path") {
		var status *apierrors.StatusError
		if text := failed.err.Error(); !strings.Contains(text, "no such path") &&
			(!errors.As(failed.err, &status) || !strings.Contains(fmt.Sprint(status.ErrStatus.Details), "no such path")) {
			t.Fatalf("code 404 with the text %q: neither the error %s nor the causes in its details quote the text", "no such path", judge.Short(text))
		}
	}
	doAndStream(t, parts, 302, "text/html", "")
}

func notJSON(t *judge.T, parts stack.Parts) {
	for _, test := range [][2]string{
		{"the HTML page of a proxy", page},
		{"an empty body", ""},
		{"an object and more bytes", object + "x"},
		{"two objects", object + "\n" + object},
		{"a number in place of a string", strings.Replace(object, `"blue"`, "5", 1)},
		{"half an object, at the regular end of the body", object[:len(object)/2]},
	} {
		var got stack.ConfigMap
		err := getWeb(t, parts, responding(t, 200, jsonType, test[1])).into(&got)
		if err == nil {
			t.Fatalf("code 200 with %s: %s\nInto returns no error", test[0], judge.Short(test[1]))
		}
		wantNamed(t, err)
	}
}

// cut returns the first half of a text, and then an error.
type cut struct {
	io.Reader
	err error
}

func (c *cut) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		err = c.err
	}
	return n, err
}

func halfBody(t *judge.T, parts stack.Parts) {
	for _, code := range []int{200, 500} {
		for _, cause := range []error{io.ErrUnexpectedEOF, errors.New("connection reset by peer")} {
			// A whole object: only the error says that it is not all.
			half := func() io.Reader { return &cut{strings.NewReader(object), cause} }
			var got stack.ConfigMap
			err := getWeb(t, parts, respondingWith(t, code, jsonType, half)).into(&got)
			if !errors.Is(err, cause) {
				t.Fatalf("code %d, and reading the body ends with the error %q\nDo and Into return %s, want that error (errors.Is): the body is not complete", code, cause, judge.ShortError(err))
			}
			wantNamed(t, err)
		}
	}
}

func closeBodies(t *judge.T, parts stack.Parts) {
	broken := func() io.Reader { return &cut{strings.NewReader("{"), io.ErrUnexpectedEOF} }
	for _, test := range []struct {
		name string
		r    *transport
	}{
		{"an object", responding(t, 200, jsonType, object)},
		{"a Status", responding(t, 404, jsonType, failure(`"reason":"NotFound","code":404`))},
		{"half a body", respondingWith(t, 200, jsonType, broken)},
	} {
		var got stack.ConfigMap
		getWeb(t, parts, test.r).into(&got)
		if len(test.r.bodies) != 1 || !test.r.bodies[0].closed {
			t.Fatalf("the body of the response was not closed after Do with %s: the connection leaks", test.name)
		}
	}
	r := responding(t, 404, jsonType, failure(`"reason":"NotFound","code":404`))
	if getWeb(t, parts, r).stream(); !r.bodies[0].closed {
		t.Fatalf("the body of the response was not closed after Stream with an error: the connection leaks")
	}
}

func stream(t *judge.T, parts stack.Parts) {
	reader, writer := io.Pipe()
	t.Cleanup(func() { writer.Close() })
	r := respondingWith(t, 206, jsonType, func() io.Reader { return reader })
	body, err := getWeb(t, parts, r).stream()
	if err != nil {
		t.Fatalf("Stream returns %s for code 206, want the body: 200 to 299 are successes", judge.ShortError(err))
	}
	t.Go("the server", func() { io.WriteString(writer, "{\"type\":") })
	buffer := make([]byte, 100)
	n := 0
	t.Unblocked("Read of the stream", func() { n, err = body.Read(buffer) })
	if got := string(buffer[:n]); got != "{\"type\":" || err != nil {
		t.Fatalf("the server has sent 8 bytes of a stream: Read returns %s and %s, want these bytes at once", judge.Short(got), judge.ShortError(err))
	}
	if r.bodies[0].closed {
		t.Fatalf("Stream has closed the body that it returns")
	}
	if body.Close(); !r.bodies[0].closed {
		t.Fatalf("Close of the stream does not close the body of the response")
	}
}

func server(t *judge.T, parts stack.Parts) {
	apiServer := t.Server(apitest.Options{})
	base, dial := judge.Dial(apiServer)
	client := parts.NewClient(base, parts.NewTransport(dial))
	in := func(method string) builder {
		return verb(t, client, method).namespace("default").resource("configmaps")
	}
	want := &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"color": "blue"}}
	created, read := new(stack.ConfigMap), new(stack.ConfigMap)
	if err := in("POST").body(want).into(created); err != nil || created.UID == "" {
		t.Fatalf("POST of a ConfigMap to the API server: Into returns %s and the UID %q", judge.ShortError(err), created.UID)
	}
	if err := in("GET").name("web").into(read); err != nil || read.Data["color"] != "blue" || read.UID != created.UID {
		t.Fatalf("GET of the ConfigMap from the API server: Into returns %s and %v", judge.ShortError(err), read.Data)
	}
	created.Data = map[string]string{"color": "red"}
	if err := in("PUT").name("web").body(created).into(read); err != nil || read.Data["color"] != "red" {
		t.Fatalf("PUT of the ConfigMap to the API server: Into returns %s and %v", judge.ShortError(err), read.Data)
	}
	if err := in("PUT").name("web").body(created).into(nil); !apierrors.IsConflict(err) {
		t.Fatalf("a second PUT with the same resourceVersion: Into returns %s, want a conflict", judge.ShortError(err))
	}
	if err := in("DELETE").name("web").into(nil); err != nil {
		t.Fatalf("DELETE of the ConfigMap: Into(nil) returns %s", judge.ShortError(err))
	}
	if err := in("GET").name("web").into(read); !apierrors.IsNotFound(err) {
		t.Fatalf("GET of the deleted ConfigMap: Into returns %s, want errors.IsNotFound", judge.ShortError(err))
	}
}
