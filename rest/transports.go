package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"sync"
	"time"
)

// transports are the connections of a client: two pools, each in generations,
// one for each set of certificates that there has been and that something still
// runs on. What is new runs on the current one.
type transports struct {
	config  *Config
	timing  timing
	running *running // counts the dials and connections
	files   *tlsFiles
	reading reading
	trouble trouble

	mu sync.Mutex
	// short and long are the current generations of the two pools, which take
	// all new requests. They are never nil.
	short, long *generation
	// retired are those before it on which something still runs.
	retired map[*generation]struct{}
	// certificate is what the credential plugin has handed out; nil is none.
	certificate *tls.Certificate
	// nextCheck is when the files are looked at again, if a request comes then.
	nextCheck time.Time
}

// pool is the transports for short requests or for long ones.
type pool struct {
	transports *transports
	long       bool
}

// RoundTrip sends the request on the newest connections.
func (p pool) RoundTrip(request *http.Request) (*http.Response, error) {
	return p.transports.roundTrip(request, p.long)
}

func newTransports(config *Config, t timing, running *running) (*transports, error) {
	files, err := loadTLSFiles(&config.TLS)
	if err != nil {
		return nil, err
	}
	made := &transports{
		config: config, timing: t, running: running, files: files,
		trouble: trouble{
			logger: config.logger(),
			begins: "cannot use the changed certificate files: the old ones stay in use",
			over:   "the certificate files can be used again",
		},
		retired:   map[*generation]struct{}{},
		nextCheck: time.Now().Add(t.fileCheck),
	}
	made.replaceLocked()
	return made, nil
}

func (t *transports) roundTrip(request *http.Request, long bool) (*http.Response, error) {
	t.checkFiles(request.Context())
	g := t.acquire(long)
	response, err := g.transport.RoundTrip(request)
	if err != nil {
		t.release(g)
		return nil, err
	}
	onEnd(response, func() { t.release(g) }, nil)
	return response, nil
}

func (t *transports) acquire(long bool) *generation {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.short
	if long {
		g = t.long
	}
	g.requests++
	return g
}

func (t *transports) release(g *generation) {
	t.mu.Lock()
	g.requests--
	_, retired := t.retired[g]
	over := retired && g.requests == 0
	if over {
		delete(t.retired, g)
	}
	t.mu.Unlock()
	if over {
		g.end()
	}
}

// checkFiles has the files looked at if it is time to. Who finds that it is
// waits for it, a while; the others go on with what there is.
func (t *transports) checkFiles(ctx context.Context) {
	if !t.files.reloadable() {
		return
	}
	t.mu.Lock()
	due := !time.Now().Before(t.nextCheck)
	if due {
		t.nextCheck = time.Now().Add(t.timing.fileCheck)
	}
	t.mu.Unlock()
	if due {
		t.reading.await(ctx, readPatience, t.reload)
	}
}

// reload begins a new generation if the certificate files have changed. A
// change that cannot be used changes nothing.
func (t *transports) reload() {
	changed, err := t.files.check()
	if changed {
		t.mu.Lock()
		old := t.replaceLocked()
		t.mu.Unlock()
		t.retire(old)
	}
	t.trouble.is(err)
}

// present shows another certificate from now on: the one that the credential
// plugin has handed out, or nil for that of the config.
func (t *transports) present(certificate *tls.Certificate) {
	t.mu.Lock()
	t.certificate = certificate
	old := t.replaceLocked()
	t.mu.Unlock()
	t.retire(old)
}

// renew begins new generations for no reason of their own.
func (t *transports) renew() {
	t.mu.Lock()
	old := t.replaceLocked()
	t.mu.Unlock()
	t.retire(old)
}

// replaceLocked begins new generations and returns those that were current, for
// retire.
func (t *transports) replaceLocked() (old []*generation) {
	for _, current := range []**generation{&t.short, &t.long} {
		if g := *current; g != nil {
			old = append(old, g)
			if g.requests > 0 {
				t.retired[g] = struct{}{}
			}
		}
		*current = newGeneration(t.config, t.timing, t.running, t.files.tlsConfig(t.certificate), t.files.proxyConfig())
	}
	return old
}

// retire closes what is idle of generations that get no more requests, and all
// of one that nothing runs on.
func (t *transports) retire(old []*generation) {
	for _, g := range old {
		t.mu.Lock()
		_, runs := t.retired[g]
		t.mu.Unlock()
		if runs {
			g.transport.CloseIdleConnections()
		} else {
			g.end()
		}
	}
}

// close ends all connections. running has been stopped: no new ones are made,
// and its wait returns when the last of them is closed.
func (t *transports) close() {
	t.mu.Lock()
	all := []*generation{t.short, t.long}
	for g := range t.retired {
		all = append(all, g)
	}
	t.mu.Unlock()
	for _, g := range all {
		g.end()
	}
}

var errNoPlaceForCertificate = errors.New("it handed out a client certificate, which Config.Transport leaves no place to show")
