package rest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// longestError is longer than any error of this package. The documented limit of
// a Status message is 4096 bytes.
const longestError = 4096 + 512

var thing = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}, Kind: "Thing", Namespaced: true}

func things(client *rest.Client) *rest.View[*unstructured.Unstructured] {
	return rest.NewView[*unstructured.Unstructured](client, thing)
}

// Promise: error texts do not grow with the body. The Status is the response to a
// request, the body of a 200, and an ERROR event.
func TestErrorsOfAStatusAreBounded(t *testing.T) {
	long := strings.Repeat("ö", 1<<20)
	status := func(code int) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q,`+
			`"details":{"name":%q,"kind":%q,"causes":[%s{"reason":%q,"field":%q,"message":%q}]}}`,
			code, long, long, long, long, strings.Repeat(`{"message":"m"},`, 1000), long, long, long)
	}
	check := func(t *testing.T, err error) {
		t.Helper()
		var failed *apierrors.StatusError
		require.ErrorAs(t, err, &failed)
		require.LessOrEqual(t, len(err.Error()), longestError)
		require.LessOrEqual(t, failed.ErrStatus.Size(), 1<<20, "the size of the truncated Status")
		if message := failed.ErrStatus.Message; strings.HasPrefix(message, "ö") {
			cut, request, _ := strings.Cut(message, "...")
			require.Equal(t, strings.Repeat("ö", 2048), cut)
			require.LessOrEqual(t, len(request), 256, "the added text names the request")
		}
	}
	t.Run("ERROR event", func(t *testing.T) {
		api := serveBodies(t, `{"type":"ERROR","object":`+status(500)+`}`)
		w, err := things(api.client).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		_, err = w.Next(t.Context())
		check(t, err)
	})
	for _, code := range []int{200, 404, 422, 500} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			// At most the first megabyte of an error body is read.
			fits := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"message":%q}`, long[:900_000])
			api := serve(t, func(w http.ResponseWriter, _ *http.Request, _ receivedRequest) {
				w.WriteHeader(code)
				io.WriteString(w, fits)
			})
			_, err := things(api.client).Namespace("n").Get(t.Context(), "a", metav1.GetOptions{})
			check(t, err)
			_, err = api.client.Get().AbsPath("/x").DoRaw(t.Context())
			if code != 200 {
				check(t, err)
			}
		})
	}
}

// Promise: error texts do not grow with the body. Versions and names are
// identifiers: one that is too long is rejected, not truncated, and loses one object.
func TestLongIdentifiersOfAServerAreRejected(t *testing.T) {
	long := strings.Repeat("7", 5<<20)
	item := func(field string) string {
		if field == "name" {
			return fmt.Sprintf(`{"metadata":{"name":%q}}`, long)
		}
		return fmt.Sprintf(`{"metadata":{"name":"a",%q:%q}}`, field, long)
	}
	one := func(t *testing.T, err error, what string) {
		t.Helper()
		var lost *rest.ItemError
		require.ErrorAs(t, err, &lost)
		require.ErrorContains(t, err, what)
		require.LessOrEqual(t, len(err.Error()), longestError)
		require.LessOrEqual(t, len(lost.Name)+len(lost.Namespace)+len(lost.UID)+len(lost.ResourceVersion), 1024)
	}
	for _, field := range []string{"name", "namespace", "uid", "resourceVersion"} {
		t.Run(field, func(t *testing.T) {
			want := fmt.Sprintf("a string of %d bytes does not fit an identifier of at most 1024 bytes", len(long))
			api := serveBodies(t, `{"kind":"ThingList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[`+item(field)+`,{"metadata":{"name":"b"}}]}`)
			list, err := things(api.client).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			n := 0
			for object, err := range list.Items() {
				if n++; n == 1 {
					one(t, err, want)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, "b", object.GetName())
			}
			require.Equal(t, 2, n)

			api = serveBodies(t, `{"type":"ADDED","object":`+item(field)+`}{"type":"ADDED","object":{"metadata":{"name":"b"}}}`)
			w, err := things(api.client).Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			defer w.Stop()
			_, err = w.Next(t.Context())
			one(t, err, want)
			event, err := w.Next(t.Context())
			require.NoError(t, err)
			require.Equal(t, "b", event.Object.GetName())
		})
	}
	t.Run("list", func(t *testing.T) {
		api := serveBodies(t, fmt.Sprintf(`{"kind":"ThingList","apiVersion":"example.com/v1","metadata":{"resourceVersion":%q},"items":[]}`, long))
		list, err := things(api.client).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		_, err = list.Slice()
		require.EqualError(t, err, fmt.Sprintf("list things.example.com: metadata.resourceVersion has %d bytes, but the limit is 1024", len(long)))
		require.Empty(t, list.ResourceVersion())
	})
	t.Run("bookmark", func(t *testing.T) {
		api := serveBodies(t, fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":%q}}}{"type":"ADDED","object":{"metadata":{"name":"b"}}}`, long))
		w, err := things(api.client).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		_, err = w.Next(t.Context())
		one(t, err, "metadata.resourceVersion has")
		_, err = w.Next(t.Context())
		require.NoError(t, err)
		_, err = w.Next(t.Context())
		require.True(t, errors.Is(err, io.EOF), err)
	})
}

// net/http quotes parts of a bad response, and a redirect may have a long URL. The
// length of the error is bounded nevertheless.
func TestErrorsOfAnInvalidResponseAreBounded(t *testing.T) {
	long := strings.Repeat("x", 500_000)
	for name, response := range map[string]string{
		"not HTTP":            "XTTP" + long + "\r\n\r\n",
		"a bad status":        "HTTP/1.1 5" + long + "\r\n\r\n",
		"a bad header":        "HTTP/1.1 200 OK\r\n" + long + "\r\n\r\n",
		"a bad length":        "HTTP/1.1 200 OK\r\nContent-Length: " + long + "\r\n\r\n",
		"a bad encoding":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + long + "\r\n\r\n",
		"a long content type": "HTTP/1.1 200 OK\r\nContent-Type: a/" + long + "\r\nContent-Length: 2\r\n\r\n{}",
		"a redirect":          "HTTP/1.1 302 Found\r\nLocation: http://other.example/" + long + "\r\nContent-Length: 0\r\n\r\n",
		"another scheme":      "HTTP/1.1 302 Found\r\nLocation: f" + long + "://x/\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			client, err := rest.New(&rest.Config{Host: "http://server", Dial: func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go func() {
					defer server.Close()
					if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
						io.WriteString(server, response)
					}
				}()
				return client, nil
			}})
			require.NoError(t, err)
			defer client.Close()
			view := things(client).Namespace("n")
			_, getErr := view.Get(t.Context(), "a", metav1.GetOptions{})
			_, listErr := view.List(t.Context(), metav1.ListOptions{})
			_, watchErr := view.Watch(t.Context(), metav1.ListOptions{})
			for _, err := range []error{getErr, listErr, watchErr} {
				require.Error(t, err)
				require.LessOrEqual(t, len(err.Error()), longestError)
				if name == "a redirect" {
					require.ErrorContains(t, err, "another server")
				}
			}
		})
	}
}
