package discovery

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// atOnce is how many group versions are asked for at the same time.
const atOnce = 8

// everything asks for the groups, and for the resources of each version that
// did not come with them. It returns when all its goroutines have ended.
func (c *Client) everything(ctx context.Context) (*answers, error) {
	all, err := c.groups(ctx)
	if err != nil {
		return nil, err
	}
	missing := make(chan schema.GroupVersion)
	var (
		mu      sync.Mutex // guards all.resources and all.failed
		workers sync.WaitGroup
	)
	ask := func() {
		for gv := range missing {
			list, err := c.resources(ctx, gv)
			mu.Lock()
			all.note(gv, list, err)
			mu.Unlock()
		}
	}
	unasked := all.unasked()
	for range min(atOnce, len(unasked)) {
		workers.Go(ask)
	}
	for _, gv := range unasked {
		if ctx.Err() != nil {
			break
		}
		missing <- gv
	}
	close(missing)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return all, nil
}

// unasked are the group versions of which nothing is known yet.
func (a *answers) unasked() []schema.GroupVersion {
	var unasked []schema.GroupVersion
	for _, gv := range a.versions() {
		if a.resources[gv] == nil && a.failed[gv] == nil {
			unasked = append(unasked, gv)
		}
	}
	return unasked
}

func (a *answers) note(gv schema.GroupVersion, list *metav1.APIResourceList, err error) {
	if err != nil {
		a.failed[gv] = err
		return
	}
	a.resources[gv] = list
}
