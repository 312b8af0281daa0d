package plane

import (
	"context"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// startsWithin bounds a start on a machine that is busy with other things.
const startsWithin = 2 * time.Minute

// mustAnswer are the paths that a plane that is ready answers. The namespace is
// made by the API server itself, after it calls itself ready.
var mustAnswer = []string{"/readyz", "/api/v1/namespaces/default"}

// waitReady polls until the API server answers.
func (p *Plane) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startsWithin, fmt.Errorf("not ready after %v", startsWithin))
	defer cancel()
	config := p.Config(Admin)
	config.Timeout = 5 * time.Second
	client, err := rest.New(config)
	if err != nil {
		return fmt.Errorf("wait for the API server: %w", err)
	}
	defer client.Close()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	var last error
	for _, path := range mustAnswer {
		for {
			if last = probe(ctx, client, path); last == nil {
				break
			}
			select {
			case <-tick.C:
			case <-p.apiserver.done:
				return p.apiserver.ended()
			case <-p.etcd.done:
				return p.etcd.ended()
			case <-ctx.Done():
				return fmt.Errorf("wait for the API server: %w: %w\n%s", context.Cause(ctx), last, p.Log())
			}
		}
	}
	return nil
}

// probe asks once whether a path answers with success.
func probe(ctx context.Context, client *rest.Client, path string) error {
	_, err := client.Get().RequestURI(path).MaxRetries(0).DoRaw(ctx)
	return err
}
