package recovery

import (
	"context"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/outage"
)

// follower is one library's informers, one for each collection.
type follower struct {
	// proxy is between the informers and the server.
	proxy *outage.Proxy
	// markers say for each collection what the store has, nil if nothing.
	markers []func() metav1.Object
	cancel  context.CancelFunc
	running sync.WaitGroup
	close   func() // of the client, once nothing runs
}

// isCurrent reports whether the store of an informer has a write.
func (f *follower) isCurrent(i, number int) bool {
	object := f.markers[i]()
	return object != nil && object.GetAnnotations()[round] == strconv.Itoa(number)
}

// stop ends the informers and waits for them.
func (f *follower) stop() {
	f.cancel()
	f.running.Wait()
	f.close()
	f.proxy.Close()
}
