package pods

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/thinformer/thinformer/bench/wire"
)

// negotiated answers each client in its preferred encoding, as an API server does.
type negotiated struct {
	json, protobuf *Server
	// watched is the server that served the last watch. It receives the control
	// requests.
	watched atomic.Pointer[Server]
}

func newNegotiated(of Config) *negotiated {
	n := &negotiated{}
	of.Encoding = wire.JSON
	n.json = NewServer(of)
	of.Encoding = wire.Protobuf
	n.protobuf = NewServer(of)
	n.watched.Store(n.json)
	return n
}

func (n *negotiated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/control/reset":
		n.json.reset()
		n.protobuf.reset()
		return
	case strings.HasPrefix(r.URL.Path, "/control/"):
		n.watched.Load().ServeHTTP(w, r)
		return
	}
	server := n.json
	if strings.Contains(r.Header.Get("Accept"), string(wire.Protobuf)) {
		server = n.protobuf
	}
	if r.URL.Query().Get("watch") != "" {
		n.watched.Store(server)
	}
	server.ServeHTTP(w, r)
}
