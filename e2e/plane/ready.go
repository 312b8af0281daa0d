package plane

import (
	"context"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// startTimeout bounds a start on a busy machine.
const startTimeout = 2 * time.Minute

// mustAnswer are the requests that succeed once a plane is ready. The API server
// creates the namespace after it reports that it is ready, and its authorizer
// receives the default roles, which let every user read /api, later still.
var mustAnswer = []struct {
	user User
	path string
}{{Admin, "/readyz"}, {Admin, "/api/v1/namespaces/default"}, {Unprivileged, "/api"}}

// waitReady polls until the API server answers.
func (p *Plane) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready after %v", startTimeout))
	defer cancel()
	for _, request := range mustAnswer {
		config := p.Config(request.user)
		config.Timeout = 5 * time.Second
		client, err := rest.New(config)
		if err != nil {
			return fmt.Errorf("wait for the API server: %w", err)
		}
		err = p.waitAnswer(ctx, client, request.path)
		client.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// waitAnswer polls until a path answers with success.
func (p *Plane) waitAnswer(ctx context.Context, client *rest.Client, path string) error {
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := client.Get().RequestURI(path).MaxRetries(0).DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.etcd.done:
			return p.etcd.ended()
		case <-p.apiserver.done:
			if p.etcd.hasEnded() { // the API server ends without etcd
				return p.etcd.ended()
			}
			return p.apiserver.ended()
		case <-ctx.Done():
			return fmt.Errorf("wait for the API server: %w: %w\n%s", context.Cause(ctx), err, p.Log())
		}
	}
}
