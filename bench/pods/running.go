package pods

import (
	"net/http"
	"sync"

	"github.com/thinformer/thinformer/bench/process"
)

// Roles are what processes of this package do.
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

// running is the server that runs. It holds hundreds of megabytes: there is one
// at a time.
var running struct {
	sync.Mutex
	of   Config
	url  string
	stop func()
}

// Serve is the address of a server in a process of its own.
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
