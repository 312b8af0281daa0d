package rest_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// newCountedClient returns a client and the number of connections that it has made.
func newCountedClient(t *testing.T) (client *rest.Client, srv *apitest.Server, made *atomic.Int64) {
	t.Helper()
	srv = apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	made = new(atomic.Int64)
	config := srv.Config()
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		made.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client, err := rest.New(config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client, srv, made
}

// Clone shares no connections.
func TestACloneHasItsOwnConnections(t *testing.T) {
	client, _, made := newCountedClient(t)
	clone, err := client.Clone()
	require.NoError(t, err)
	for range 3 {
		for _, c := range []*rest.Client{client, clone} {
			_, err := c.Get().AbsPath("/version").DoRaw(t.Context())
			require.NoError(t, err)
		}
	}
	require.EqualValues(t, 2, made.Load())
	clone.Close()
	_, err = client.Get().AbsPath("/version").DoRaw(t.Context())
	require.NoError(t, err, "closing the clone does not close the client")
}

// Reconnect replaces a connection that does not respond.
func TestReconnectReplacesADeadConnection(t *testing.T) {
	client, srv, made := newCountedClient(t)
	get := func(within time.Duration) error {
		_, err := client.Get().AbsPath("/version").Timeout(within).DoRaw(t.Context())
		return err
	}
	require.NoError(t, get(time.Minute))
	srv.Fault(apitest.Fault{Nth: 1, Action: apitest.Freeze()})
	require.Error(t, get(50*time.Millisecond))
	require.Error(t, get(50*time.Millisecond), "the request uses the frozen connection")
	require.EqualValues(t, 1, made.Load())

	client.Reconnect()
	require.NoError(t, get(time.Minute))
	require.EqualValues(t, 2, made.Load())
	srv.RemoveFaults()
}
