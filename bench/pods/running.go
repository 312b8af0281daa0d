package pods

import (
	"net/http"
	"sync"

	"github.com/thinformer/thinformer/bench/process"
)

// Roles returns the roles of the child processes of this package.
func Roles() map[string]process.Role {
	return map[string]process.Role{
		"pods/server": process.Serving(func(of Config) http.Handler {
			if of.Encoding == "" {
				return newNegotiated(of)
			}
			return NewServer(of)
		}),
	}
}

// running is the current server. A server takes hundreds of megabytes, so there is one
// at a time.
var running struct {
	sync.Mutex
	of   Config
	url  string
	stop func()
}

// Serve returns the URL of a server in its own process.
func Serve(of Config) (url string) {
	running.Lock()
	defer running.Unlock()
	if running.of == of {
		return running.url
	}
	if running.stop != nil {
		running.stop()
	}
	running.url, running.stop = process.Serve("pods/server", of)
	running.of = of
	return running.url
}
