package factory

import (
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/interop/internal/byresource"
)

// limited is a REST client whose requests have the time limit of their options, as those of
// generated clients have. Its informers share their recovery with others of the client's
// connections, whose field Client it promotes.
type limited struct{ *rest.RESTClient }

// Get starts a request.
func (l *limited) Get() *byresource.Request {
	return &byresource.Request{Request: l.RESTClient.Get(), Limited: true}
}
