package informer_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
)

// Each of 500 namespaces has exactly two goroutines of this library, its reflector and
// its loop, and one watch. None of them is left when the namespaces are removed.
func TestGoroutinesOfNamespaces(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		const count = 500
		var names []string
		for i := range count {
			names = append(names, fmt.Sprint("n-", i))
		}
		inf, stop := r.runNamespaces(informer.Options[*Pod]{})
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		synctest.Wait()
		empty := liveHeap()
		require.NoError(t, inf.SetNamespaces(names...))
		require.NoError(t, inf.WaitForSync(t.Context()))
		synctest.Wait()
		loops, reflectors := goroutinesWith("informer.(*namespaceSet["), goroutinesWith("reflector.(*Reflector[")
		require.Equal(t, count+1, loops, "one goroutine for each namespace, and that of Run")
		require.Equal(t, count, reflectors)
		require.Equal(t, count, r.srv.OpenWatches())
		require.Equal(t, count, inf.State().NamespaceCount)
		require.Len(t, inf.State().Namespaces, 100)
		t.Logf("%d bytes of heap for each namespace, including its connection and the server", (liveHeap()-empty)/count)
		require.NoError(t, inf.SetNamespaces())
		synctest.Wait()
		require.Equal(t, 1, goroutinesWith("informer.(*namespaceSet["))
		require.Zero(t, goroutinesWith("reflector.(*Reflector["))
		require.Zero(t, r.srv.OpenWatches())
	})
}

// goroutinesWith returns the number of goroutines with a function in their stack, not
// counting the line of the goroutine that created them.
func goroutinesWith(function string) (n int) {
	stacks := make([]byte, 64<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		calls, _, _ := strings.Cut(stack, "\ncreated by ")
		if strings.Contains(calls, function) {
			n++
		}
	}
	return n
}
