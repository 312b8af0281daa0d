// want: a request has a head: which net/http adds

package chunks

import (
	"context"
	"net"
	"net/http"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewTransport(dial stack.Dial) stack.Transport {
	return &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableKeepAlives: true,
	}
}
