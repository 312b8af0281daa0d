package rest

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

func TestWatchOfARequestReturnsUntypedEvents(t *testing.T) {
	const events = `{"type":"ADDED","object":` + pod + `}
{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}
{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}
`
	client, sent := scripted(t, Config{}, respondsWith(200, events), respondsWith(200, ""))
	r := client.GroupVersion(coreV1).Get().Resource("pods").Namespace("d").Param("resourceVersion", "5")
	watched, err := r.Watch(t.Context())
	require.NoError(t, err)
	defer watched.Stop()
	require.Equal(t, "/api/v1/namespaces/d/pods?resourceVersion=5&watch=true", sent.requests[0].URL.RequestURI())
	require.Equal(t, "application/json", sent.requests[0].Header.Get("Accept"))
	require.Equal(t, "/api/v1/namespaces/d/pods?resourceVersion=5", r.URL().RequestURI(), "the request is unchanged")

	event, err := watched.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, watch.Added, event.Type)
	require.Equal(t, "web", event.Object.GetName())
	require.Empty(t, event.Object.GetManagedFields(), "watches skip managedFields")
	event, err = watched.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, watch.Bookmark, event.Type)
	require.Equal(t, "9", event.ResourceVersion)
	require.Nil(t, event.Object)
	_, err = watched.Next(t.Context())
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)

	empty, err := r.Watch(t.Context())
	require.NoError(t, err)
	defer empty.Stop()
	_, err = empty.Next(t.Context())
	require.Equal(t, io.EOF, err)
}

// A watch that ends because the client was closed returns ErrClosed, without an offset
// in the body.
func TestAWatchOfAClosedClientReturnsErrClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Config{}, func(conn net.Conn, _ *http.Request) {
			writeAfter(conn, 0, chunkedHead)
			waitForHangUp(conn)
		})
		watched, err := client.GroupVersion(coreV1).Get().Resource("pods").Watch(t.Context())
		require.NoError(t, err)
		defer watched.Stop()
		time.AfterFunc(time.Second, client.Close)
		_, err = watched.Next(t.Context())
		require.ErrorIs(t, err, ErrClosed)
		require.EqualError(t, err, "watch pods: the client is closed")
	})
}

// A watch does not change the headers of its request.
func TestAWatchDoesNotChangeTheHeadersOfItsRequest(t *testing.T) {
	client, sent := scripted(t, Config{}, respondsWith(200, ""), respondsWith(200, "{}"))
	r := client.GroupVersion(coreV1).Get().Resource("pods").SetHeader("X-Mine", "1")
	watched, err := r.Watch(t.Context())
	require.NoError(t, err)
	defer watched.Stop()
	require.NoError(t, r.Do(t.Context()).Error())
	for i, accept := range []string{"application/json", "application/json, */*"} {
		require.Equal(t, accept, sent.requests[i].Header.Get("Accept"))
		require.Equal(t, "1", sent.requests[i].Header.Get("X-Mine"))
	}
}

// A watch that cannot be opened is an error, never an empty stream.
func TestAWatchThatCannotBeOpenedIsAnError(t *testing.T) {
	client, sent := scripted(t, Config{}, failsWith(io.EOF), respondsWith(404, ""), respondsWith(200, "<html>", "Content-Type", "text/html"))
	for _, want := range []string{"watch pods: https://server:6443: EOF", "could not find the requested resource", "text/html"} {
		watched, err := client.GroupVersion(coreV1).Get().Resource("pods").Watch(t.Context())
		require.ErrorContains(t, err, want)
		require.Nil(t, watched)
	}
	require.Len(t, sent.requests, 3, "the caller decides about retries")

	_, err := client.GroupVersion(coreV1).Get().Resource("..").Watch(t.Context())
	require.ErrorContains(t, err, "Resource: ")
	r := client.GroupVersion(coreV1).Post().Resource("pods")
	_, err = r.Watch(t.Context())
	require.EqualError(t, err, "watch pods: Watch: a watch is a GET, and this is a POST")
	require.NoError(t, r.Error(), "the request is unchanged")
	require.Len(t, sent.requests, 3)
}
