package leader

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// relay forwards connections to a server. A frozen connection forwards nothing and is not
// closed, like a connection whose other end does not respond.
type relay struct {
	listener net.Listener
	server   string
	work     sync.WaitGroup

	mu    sync.Mutex
	conns []*relayed
}

type relayed struct {
	ends   [2]net.Conn
	frozen chan struct{}
	once   sync.Once
}

func newRelay(t *testing.T, server string) *relay {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: listener, server: server}
	r.work.Go(r.accept)
	t.Cleanup(func() {
		listener.Close()
		r.freeze(0)
		for _, c := range r.all() {
			c.ends[0].Close()
			c.ends[1].Close()
		}
		r.work.Wait()
	})
	return r
}

func (r *relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.server)
		if err != nil {
			conn.Close()
			continue
		}
		c := &relayed{ends: [2]net.Conn{conn, out}, frozen: make(chan struct{})}
		r.mu.Lock()
		r.conns = append(r.conns, c)
		r.mu.Unlock()
		r.work.Go(func() { c.forward(conn, out) })
		r.work.Go(func() { c.forward(out, conn) })
	}
}

func (c *relayed) forward(from, to net.Conn) {
	_, _ = io.Copy(writer(func(p []byte) (int, error) {
		select {
		case <-c.frozen:
			return len(p), nil // discarded
		default:
			return to.Write(p)
		}
	}), from)
	select {
	case <-c.frozen: // the close is not forwarded either
	default:
		to.Close()
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func (r *relay) all() []*relayed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*relayed(nil), r.conns...)
}

// freeze freezes all open connections, or the first n if n is not 0.
func (r *relay) freeze(n int) {
	all := r.all()
	if n > 0 {
		all = all[:n]
	}
	for _, c := range all {
		c.once.Do(func() { close(c.frozen) })
	}
}

var (
	configMaps = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}
	leases     = rest.ResourceInfo{GroupVersionResource: groupVersion.WithResource("leases"), Kind: kind, Namespaced: true}
)

// halfOpen has a client whose connections can be frozen.
type halfOpen struct {
	t      *testing.T
	relay  *relay
	client *rest.Client
	server *apitest.Server
}

func newHalfOpen(t *testing.T, http2 bool) *halfOpen {
	server := apitest.NewServer(apitest.Options{})
	t.Cleanup(server.Close)
	config := server.Config()
	address := strings.TrimPrefix(config.Host, "https://")
	h := &halfOpen{t: t, server: server, relay: newRelay(t, address)}
	config.Host = "https://" + h.relay.listener.Addr().String()
	config.DisableHTTP2 = !http2
	client, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	h.client = client
	return h
}

// write creates an object. The timeout is far longer than a request takes, and shorter
// than the time after which HTTP/2 pings detect a dead connection.
func (h *halfOpen) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	object := &unstructured.Unstructured{}
	object.SetGenerateName("written-")
	_, err := rest.NewResource[*unstructured.Unstructured](h.client, configMaps).Namespace("default").Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (h *halfOpen) elector(onNewLeader func(string)) *Elector {
	return New(h.client, Options{
		Namespace: "default", Name: "operator", Identity: "new", OnNewLeader: onNewLeader,
		LeaseDuration: 8 * time.Second, RenewDeadline: 6 * time.Second, RetryPeriod: 200 * time.Millisecond,
		Logger: slog.New(slog.DiscardHandler),
	})
}

// createHeldLease creates a Lease that another process holds for a second.
func (h *halfOpen) createHeldLease() {
	old := record{holder: "old", seconds: 1, acquire: microTime(time.Now()), renew: microTime(time.Now())}
	if _, err := rest.NewResource[*unstructured.Unstructured](h.client, leases).Create(h.t.Context(), newLease("default", "operator").withRecord(old).object, metav1.CreateOptions{}); err != nil {
		h.t.Fatal(err)
	}
}

// The first write of a new leader does not use a connection that was dead before, whether
// the election or only the writes have used it.
func TestFirstWriteOfALeaderUsesANewConnection(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		for name, frozen := range map[string]int{"all connections": 0, "connection of the writes": 1} {
			t.Run(map[bool]string{true: "HTTP2", false: "HTTP1"}[http2]+"/"+name, func(t *testing.T) {
				t.Parallel()
				h := newHalfOpen(t, http2)
				h.createHeldLease() // opens the first connection, which stays open
				leaders := make(chan string, 10)
				e := h.elector(func(holder string) { leaders <- holder })
				e.options.RenewDeadline = 2 * time.Second // a request of a candidate has half of this time
				wrote := make(chan error, 1)
				ended := make(chan error, 1)
				go func() {
					ended <- e.Run(t.Context(), func(ctx context.Context) error {
						wrote <- h.write(context.WithoutCancel(ctx))
						return nil
					})
				}()
				if holder := <-leaders; holder != "old" {
					t.Fatalf("the leader is %q", holder)
				}
				h.relay.freeze(frozen)
				if err := <-wrote; err != nil {
					t.Errorf("the first write of the leader: %v", err)
				}
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// After a renewal without a response, the leader's next write uses a new connection.
func TestWriteAfterALostRenewalUsesANewConnection(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		t.Run(map[bool]string{true: "HTTP2", false: "HTTP1"}[http2], func(t *testing.T) {
			t.Parallel()
			h := newHalfOpen(t, http2)
			e := h.elector(nil)
			err := e.Run(t.Context(), func(ctx context.Context) error {
				if err := h.write(ctx); err != nil {
					return err
				}
				h.relay.freeze(0)
				for e.State().Err == nil {
					select {
					case <-ctx.Done():
						return errors.New("the term has ended")
					case <-time.After(10 * time.Millisecond):
					}
				}
				return h.write(ctx)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
