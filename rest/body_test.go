package rest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wire"
)

func TestTypesOfABody(t *testing.T) {
	open := &closing{Reader: strings.NewReader("stream")}
	var nothing *metav1.DeleteOptions
	for _, c := range []struct {
		request func(*Client) *Request
		sent    []string
		as      string
	}{
		{func(c *Client) *Request { return c.Post().Body([]byte("raw")) }, []string{"raw"}, "application/json"},
		{func(c *Client) *Request { return c.Post().Body([]byte{}) }, []string{""}, "application/json"},
		{func(c *Client) *Request { return c.Post().Body(map[string]int{"a": 1}) }, []string{`{"a":1}`}, "application/json"},
		{func(c *Client) *Request { return c.Delete().Body(&metav1.DeleteOptions{DryRun: []string{"All"}}) }, []string{`{"dryRun":["All"]}`}, "application/json"},
		{func(c *Client) *Request { return c.Delete().Body(nothing) }, nil, ""},
		{func(c *Client) *Request { return c.Delete().Body(nil) }, nil, ""},
		{func(c *Client) *Request { return c.Post().Body(open) }, []string{"stream"}, "application/json"},
		{func(c *Client) *Request { return c.Patch("application/merge-patch+json").Body([]byte("{}")) }, []string{"{}"}, "application/merge-patch+json"},
		{func(c *Client) *Request { return c.Patch("application/merge-patch+json").Body(map[string]int{}) }, []string{"{}"}, "application/merge-patch+json"},
		{func(c *Client) *Request { return c.Post().Body([]byte("a,b")).SetHeader("Content-Type", "text/csv") }, []string{"a,b"}, "text/csv"},
	} {
		client, sent := scripted(t, Config{}, respondsWith(200, ""))
		_, err := c.request(client).AbsPath("/x").DoRaw(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.sent, sent.bodies)
		require.Equal(t, c.as, sent.requests[0].Header.Get("Content-Type"))
	}
	require.Equal(t, 1, open.closed)

	client, sent := scripted(t, Config{ContentType: wire.ProtobufType}, respondsWith(200, ""), respondsWith(200, ""))
	_, err := client.Post().AbsPath("/x").Body([]byte("k8s")).DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, wire.ProtobufType, sent.requests[0].Header.Get("Content-Type"))
	_, err = client.Post().AbsPath("/x").Body(map[string]int{}).DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, "application/json", sent.requests[1].Header.Get("Content-Type"))
}

// The terminal call closes a body that is an io.Closer, even if nothing is sent.
func TestABodyThatIsNotSentIsClosed(t *testing.T) {
	client, sent := scripted(t, Config{RateLimiter: &counting{err: errors.New("no")}})
	for what, send := range map[string]func(*Request) error{
		"a setter":    func(r *Request) error { return r.Name("..").Do(t.Context()).Error() },
		"the request": func(r *Request) error { return r.Name("x").Do(t.Context()).Error() },
		"the limiter": func(r *Request) error { return r.AbsPath("/x").Do(t.Context()).Error() },
		"a stream":    func(r *Request) error { _, err := r.AbsPath("/x").Stream(t.Context()); return err },
		"a watch":     func(r *Request) error { _, err := r.AbsPath("/x").Watch(t.Context()); return err },
	} {
		open := &closing{Reader: strings.NewReader("stream")}
		require.Error(t, send(client.Post().Body(open)), what)
		require.Equal(t, 1, open.closed, what)
	}
	open, limiter := &closing{Reader: strings.NewReader("stream")}, &counting{err: errors.New("no")}
	r := client.Post().AbsPath("/x").Body(open).Throttle(limiter)
	require.Error(t, r.Do(t.Context()).Error())
	limiter.err = nil
	require.EqualError(t, r.Do(t.Context()).Error(), "POST /x: the body is a stream, which can be sent once")
	require.Equal(t, 1, open.closed)
	require.Empty(t, sent.requests)
}

type closing struct {
	io.Reader
	closed int
}

func (c *closing) Close() error {
	c.closed++
	return nil
}
