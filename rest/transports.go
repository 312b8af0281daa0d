package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"sync"
	"time"
)

// transports are the connections of a client, in generations: one for each set
// of certificates that there has been and that something still runs on. What is
// new runs on the current one.
type transports struct {
	config  *Config
	timing  timing
	files   *tlsFiles
	trouble trouble

	mu sync.Mutex
	// current takes all new requests. It is never nil.
	current *generation
	// retired are those before it on which something still runs.
	retired map[*generation]struct{}
	closed  bool
	// certificate is what the credential plugin has handed out; nil is none.
	certificate *tls.Certificate
	// Only one request at a time looks at the files, and none before nextCheck.
	checking  bool
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

func newTransports(config *Config, t timing) (*transports, error) {
	files, err := loadTLSFiles(&config.TLS)
	if err != nil {
		return nil, err
	}
	return &transports{
		config: config, timing: t, files: files,
		trouble: trouble{
			logger: config.logger(),
			begins: "cannot use the changed certificate files: the old ones stay in use",
			over:   "the certificate files can be used again",
		},
		current:   newGeneration(config, t, files.tlsConfig(nil)),
		retired:   map[*generation]struct{}{},
		nextCheck: time.Now().Add(t.fileCheck),
	}, nil
}

func (t *transports) roundTrip(request *http.Request, long bool) (*http.Response, error) {
	t.checkFiles()
	g, err := t.acquire()
	if err != nil {
		closeBody(request)
		return nil, err
	}
	response, err := g.transport(long).RoundTrip(request)
	if err != nil {
		t.release(g)
		return nil, err
	}
	onEnd(response, func() { t.release(g) }, nil)
	return response, nil
}

func (t *transports) acquire() (*generation, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	t.current.requests++
	return t.current, nil
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
	switch {
	case over:
		g.end()
	case retired:
		g.closeIdle()
	}
}

// checkFiles begins a new generation if the certificate files have changed. A
// change that cannot be used changes nothing.
func (t *transports) checkFiles() {
	if !t.files.reloadable() {
		return
	}
	t.mu.Lock()
	if t.checking || t.closed || time.Now().Before(t.nextCheck) {
		t.mu.Unlock()
		return
	}
	t.checking = true
	t.mu.Unlock()

	changed, err := t.files.check() // by one request at a time, without the lock

	t.mu.Lock()
	t.checking = false
	t.nextCheck = time.Now().Add(t.timing.fileCheck)
	var old *generation
	if changed {
		old = t.replaceLocked()
	}
	t.mu.Unlock()
	t.retire(old)
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

// replaceLocked returns the generation that was current, for retire.
func (t *transports) replaceLocked() *generation {
	if t.closed {
		return nil
	}
	old := t.current
	t.current = newGeneration(t.config, t.timing, t.files.tlsConfig(t.certificate))
	if old.requests > 0 {
		t.retired[old] = struct{}{}
	}
	return old
}

// retire closes what is idle of a generation that gets no more requests, and
// all of it if nothing runs on it.
func (t *transports) retire(old *generation) {
	if old == nil {
		return
	}
	t.mu.Lock()
	_, runs := t.retired[old]
	t.mu.Unlock()
	if runs {
		old.closeIdle()
	} else {
		old.end()
	}
}

// close ends all connections and returns when the last one is closed.
func (t *transports) close() {
	t.mu.Lock()
	t.closed = true
	all := []*generation{t.current}
	for g := range t.retired {
		all = append(all, g)
	}
	t.mu.Unlock()
	for _, g := range all {
		g.end()
	}
	for _, g := range all {
		g.dialer.wait()
	}
}

var errNoPlaceForCertificate = errors.New("it handed out a client certificate, which Config.Transport leaves no place to show")
