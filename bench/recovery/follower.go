package recovery

import (
	"context"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/outage"
)

// follower has the informers of one library, one for each collection.
type follower struct {
	// proxy is between the informers and the server.
	proxy *outage.Proxy
	// markers returns for each collection the marker in the informer's store, or nil if
	// there is none.
	markers []func() metav1.Object
	cancel  context.CancelFunc
	running sync.WaitGroup
	close   func() // closes the client after all informers have ended
}

// isCurrent reports whether the store of informer i has a write.
func (f *follower) isCurrent(i, number int) bool {
	object := f.markers[i]()
	return object != nil && object.GetAnnotations()[round] == strconv.Itoa(number)
}

// stop stops the informers and waits for their end.
func (f *follower) stop() {
	f.cancel()
	f.running.Wait()
	f.close()
	f.proxy.Close()
}
