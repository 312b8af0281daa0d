// The functions that wait for a sync, with a channel and with a context.
package main

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

type controller struct{ synced []cache.InformerSynced }

func (c *controller) run(ctx context.Context) bool {
	return cache.WaitForNamedCacheSync("tokens", ctx.Done(), c.synced...) &&
		cache.WaitForNamedCacheSyncWithContext(ctx, c.synced...) &&
		cache.WaitForCacheSync(ctx.Done(), func() bool { return true })
}

func main() {
	c := &controller{synced: []cache.InformerSynced{func() bool { return true }}}
	c.run(context.Background())
}
