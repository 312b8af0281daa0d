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

// fault is a failure of a request.
type fault int

const (
	noFault         fault = iota
	slow                  // request and response take seconds
	refused               // connection refused
	requestLost           // no request and no response arrives
	responseLost          // the request arrives, the response does not
	lateDelivery          // the request arrives after its timeout
	tooManyRequests       // 429
	serverError           // 500
	faultCount
)

// network is the connection of one candidate to the server.
type network struct {
	inner           http.RoundTripper
	waitWhilePaused func() // returns when the process is not paused

	mu     sync.Mutex
	random *rand.Rand
	// probability is the probability of a fault. faults are the possible faults.
	probability float64
	faults      []fault

	late sync.WaitGroup
}

func (n *network) setFaults(probability float64, faults ...fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.probability, n.faults = probability, faults
}

func (n *network) nextFault() (fault, time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.faults) == 0 || n.random.Float64() >= n.probability {
		return noFault, 0
	}
	return n.faults[n.random.IntN(len(n.faults))], time.Duration(n.random.Int64N(int64(7 * time.Second)))
}

// RoundTrip sends a request, with a fault if one is drawn.
func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	n.waitWhilePaused()
	defer n.waitWhilePaused()
	ctx := request.Context()
	noResponse := func() (*http.Response, error) { <-ctx.Done(); return nil, ctx.Err() }
	switch f, delay := n.nextFault(); f {
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
	case requestLost:
		return noResponse()
	case responseLost, lateDelivery:
		if f == responseLost {
			delay = 0
		}
		n.deliverLater(request, delay*5)
		return noResponse()
	case tooManyRequests, serverError:
		code := map[fault]int{tooManyRequests: 429, serverError: 500}[f]
		return &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {"1"}}, Body: io.NopCloser(bytes.NewReader(nil)), Request: request}, nil
	}
	return n.inner.RoundTrip(request)
}

// deliverLater sends a copy of the request after a delay and discards the response.
func (n *network) deliverLater(request *http.Request, delay time.Duration) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
		request.Body.Close()
	}
	clone := request.Clone(context.WithoutCancel(request.Context()))
	clone.Body = io.NopCloser(bytes.NewReader(body))
	n.late.Go(func() {
		sleep(context.Background(), time.Now().Add(delay))
		if response, err := n.inner.RoundTrip(clone); err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	})
}

func pause(ctx context.Context, d time.Duration) bool {
	sleep(ctx, time.Now().Add(d))
	return ctx.Err() == nil
}
