package factory

import (
	"errors"

	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/interop/internal/byresource"
)

// limited is a REST client whose requests are those of a generated client: they have the
// time limit of their options, and accept what the clientset is configured to accept. Its
// informers share their recovery with others of the client's connections, whose field
// Client it promotes.
type limited struct {
	*rest.RESTClient // of the clientset when the informer was requested
	// current returns the client of a request: a program's clientset can change it.
	current func() (direct, bool)
}

// Get starts a request.
func (l *limited) Get() *byresource.Request {
	if now, ok := l.current(); ok {
		if client, ok := now.client.(*rest.RESTClient); ok {
			return &byresource.Request{Request: client.Get(), Generated: true}
		}
	}
	return &byresource.Request{Request: l.RESTClient.Get(), Err: errNoClient}
}

var errNoClient = errors.New("the clientset had a REST client when the informer was requested, and now has none")
