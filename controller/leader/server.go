package leader

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// server sends requests for the Lease.
type server struct {
	client          *rest.Client
	namespace, name string
}

var groupVersion = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}

// noLimit is a rate limiter without a limit: a renewal does not wait for other
// requests of the program.
type noLimit struct{}

// Wait returns at once.
func (noLimit) Wait(context.Context) error { return nil }

func (s *server) request(verb func(*rest.RESTClient) *rest.Request) *rest.Request {
	return verb(s.client.GroupVersion(groupVersion)).Namespace(s.namespace).Resource("leases").Throttle(noLimit{})
}

// check returns an error if the names are invalid. It sends no request.
func (s *server) check() error { return s.request((*rest.RESTClient).Get).Name(s.name).Error() }

func (s *server) get(ctx context.Context) (*lease, error) {
	return send(ctx, s.request((*rest.RESTClient).Get).Name(s.name))
}

// put stores l, replacing the version that it was read at.
func (s *server) put(ctx context.Context, l *lease) (*lease, error) {
	body, err := json.Marshal(l.object.Object)
	if err != nil {
		return nil, fmt.Errorf("encode the lease: %w", err)
	}
	request := s.request((*rest.RESTClient).Put).Name(s.name)
	if l.object.GetResourceVersion() == "" {
		request = s.request((*rest.RESTClient).Post)
	}
	return send(ctx, request.Body(body))
}

// send returns the Lease from the response. The deadline of ctx is sent to the server,
// which then does not execute a request that has expired.
func send(ctx context.Context, request *rest.Request) (*lease, error) {
	if left, bounded := remaining(ctx); bounded {
		request.Timeout(left)
	}
	object, err := request.Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	if object.GetResourceVersion() == "" || object.GetKind() != kind {
		return nil, fmt.Errorf("the response is not a Lease with a resourceVersion, but %s %s", object.GetAPIVersion(), object.GetKind())
	}
	return leaseOf(object), nil
}
