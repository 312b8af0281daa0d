package operators

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// 50 kinds that are not served are asked for together, by few requests. When one of them is
// defined, its first list arrives within ten seconds.
func TestKindsThatDoNotExistYet(t *testing.T) {
	const missing, observed = 50, 10 * time.Second
	c := newCluster(t)
	k := newKinds(c)
	var all []*follower
	for i := range missing {
		all = append(all, k.follow(resourceOf(fmt.Sprint("Thing", i), "v1")))
	}
	c.eventually(func(now *assert.CollectT) {
		for _, f := range all {
			require.Error(now, f.SharedInformer.State().Source.Err)
		}
	})
	t.Logf("until each kind is known to be missing:\n%s", summary(k.requests.since(0)))
	sent := k.requests.count()
	select { // requests are counted for this time
	case <-time.After(observed):
	case <-t.Context().Done():
	}
	while := k.requests.since(sent)
	t.Logf("in %v with %d missing kinds:\n%s", observed, missing, summary(while))
	require.LessOrEqual(t, len(while), 10)

	for _, i := range []int{7, 31} {
		c.define(fmt.Sprint("Thing", i), versions{"v1"})
		defined := time.Now()
		create(c, resourceOf(fmt.Sprint("Thing", i), "v1"), newThing("default", "a", i))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		require.NoError(t, all[i].WaitForSync(ctx))
		cancel()
		t.Logf("kind %d: the first list %v after it is served", i, time.Since(defined).Round(time.Millisecond))
		k.reconciled(all[i], "a", i)
	}
	require.Error(t, all[0].SharedInformer.State().Source.Err)
	for _, f := range all {
		k.unfollow(f)
	}
	sent = k.requests.count()
	c.define("Later", versions{"v1"})
	require.Empty(t, k.requests.since(sent), "nothing is missing")
}
