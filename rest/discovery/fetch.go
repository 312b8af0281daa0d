package discovery

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxConcurrentRequests limits the concurrent requests for group versions.
const maxConcurrentRequests = 8

// fetchAll requests the groups, and the resources of each group version that the
// first responses do not contain. It returns when all its goroutines have ended.
func (c *Client) fetchAll(ctx context.Context) (*serverResources, error) {
	result, err := c.fetchGroups(ctx)
	if err != nil {
		return nil, err
	}
	queue := make(chan schema.GroupVersion)
	var (
		mu      sync.Mutex // guards result.resources and result.failed
		workers sync.WaitGroup
	)
	work := func() {
		for gv := range queue {
			list, err := c.fetchResources(ctx, gv)
			mu.Lock()
			result.record(gv, list, err)
			mu.Unlock()
		}
	}
	missing := result.missing()
	for range min(maxConcurrentRequests, len(missing)) {
		workers.Go(work)
	}
	for _, gv := range missing {
		if ctx.Err() != nil {
			break
		}
		queue <- gv
	}
	close(queue)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return result, nil
}

// missing returns the group versions that have neither resources nor an error.
func (s *serverResources) missing() []schema.GroupVersion {
	var missing []schema.GroupVersion
	for _, gv := range s.versions() {
		if s.resources[gv] == nil && s.failed[gv] == nil {
			missing = append(missing, gv)
		}
	}
	return missing
}

func (s *serverResources) record(gv schema.GroupVersion, list *metav1.APIResourceList, err error) {
	if err != nil {
		s.failed[gv] = err
		return
	}
	s.resources[gv] = list
}
