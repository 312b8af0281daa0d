package leader

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// server is where the Lease is.
type server struct {
	client          *rest.Client
	namespace, name string
}

var groupVersion = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}

// unlimited lets everything go: a renewal does not queue with what the program
// does elsewhere, nor the few requests of an election among themselves.
type unlimited struct{}

// Wait is over at once.
func (unlimited) Wait(context.Context) error { return nil }

func (s *server) request(verb func(*rest.RESTClient) *rest.Request) *rest.Request {
	return verb(s.client.GroupVersion(groupVersion)).Namespace(s.namespace).Resource("leases").Throttle(unlimited{})
}

// check is what is wrong with the names, without asking anybody.
func (s *server) check() error { return s.request((*rest.RESTClient).Get).Name(s.name).Error() }

func (s *server) get(ctx context.Context) (*lease, error) {
	return answer(ctx, s.request((*rest.RESTClient).Get).Name(s.name))
}

// put stores what l says, in the place of the version that it was read at.
func (s *server) put(ctx context.Context, l *lease) (*lease, error) {
	body, err := json.Marshal(l.object.Object)
	if err != nil {
		return nil, fmt.Errorf("encode the lease: %w", err)
	}
	request := s.request((*rest.RESTClient).Put).Name(s.name)
	if l.object.GetResourceVersion() == "" {
		request = s.request((*rest.RESTClient).Post)
	}
	return answer(ctx, request.Body(body))
}

// answer is the Lease that a request is answered with. What the context allows
// is told to the server as well, so that it does not write what nobody waits
// for any more.
func answer(ctx context.Context, request *rest.Request) (*lease, error) {
	if left, bounded := remaining(ctx); bounded {
		request.Timeout(left)
	}
	object, err := request.Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	if object.GetResourceVersion() == "" || object.GetKind() != kind {
		return nil, fmt.Errorf("the answer is no Lease with a version, but %s %s", object.GetAPIVersion(), object.GetKind())
	}
	return leaseOf(object), nil
}
