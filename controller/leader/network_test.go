package leader

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// fate is what becomes of a request.
type fate int

const (
	fine      fate = iota
	slow           // it takes seconds there, and seconds back
	refused        // nobody listens
	swallowed      // it does not arrive, and nobody says so
	unheard        // it arrives, and the answer does not
	belated        // it arrives when its sender has long given up
	busy           // 429
	broken         // 500
	fates
)

// network is what is between one candidate and the server.
type network struct {
	inner http.RoundTripper
	hold  func() // waits while the process is paused

	mu     sync.Mutex
	random *rand.Rand
	// bad is how likely something goes wrong, and which fates there are then.
	bad   float64
	which []fate

	belated sync.WaitGroup
}

func (n *network) suffer(bad float64, which ...fate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bad, n.which = bad, which
}

func (n *network) draw() (fate, time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.which) == 0 || n.random.Float64() >= n.bad {
		return fine, 0
	}
	return n.which[n.random.IntN(len(n.which))], time.Duration(n.random.Int64N(int64(7 * time.Second)))
}

// RoundTrip sends a request to its fate.
func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	n.hold()
	defer n.hold()
	ctx := request.Context()
	gone := func() (*http.Response, error) { <-ctx.Done(); return nil, ctx.Err() }
	switch f, delay := n.draw(); f {
	case slow:
		if !pause(ctx, delay/2) {
			return nil, ctx.Err()
		}
		response, err := n.inner.RoundTrip(request)
		if err == nil && !pause(ctx, delay/2) {
			response.Body.Close()
			return nil, ctx.Err()
		}
		return response, err
	case refused:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case swallowed:
		return gone()
	case unheard, belated:
		if f == unheard {
			delay = 0
		}
		n.later(request, delay*5)
		return gone()
	case busy, broken:
		code := map[fate]int{busy: 429, broken: 500}[f]
		return &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {"1"}}, Body: io.NopCloser(bytes.NewReader(nil)), Request: request}, nil
	}
	return n.inner.RoundTrip(request)
}

// later sends a request though nobody waits for the answer.
func (n *network) later(request *http.Request, delay time.Duration) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
		request.Body.Close()
	}
	ghost := request.Clone(context.WithoutCancel(request.Context()))
	ghost.Body = io.NopCloser(bytes.NewReader(body))
	n.belated.Go(func() {
		sleep(context.Background(), time.Now().Add(delay))
		if response, err := n.inner.RoundTrip(ghost); err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	})
}

func pause(ctx context.Context, d time.Duration) bool {
	sleep(ctx, time.Now().Add(d))
	return ctx.Err() == nil
}
