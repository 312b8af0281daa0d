package cache

import (
	"time"

	"github.com/thinformer/thinformer/reflector"
)

// Reflector keeps a ReflectorStore equal to what a source serves. Its fields are
// to be set before it runs.
type Reflector struct {
	// WatchListPageSize is the size of the pages in which is listed. Default: 500
	// where the server may page, else no pages.
	WatchListPageSize int64
	// ShouldResync is asked each resync period whether the store is to be
	// resynced. Default: it is.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is not used: a watch that fails by an error
	// of the server is resumed at its version however often it happens.
	MaxInternalErrorRetryDuration time.Duration

	name, typeDescription string
	typed                 *reflector.Reflector[any]
}
