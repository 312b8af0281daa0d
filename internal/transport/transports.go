package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"sync"
	"time"
)

// transports has the connections of a client: two pools, each with one generation
// for each set of certificates that is current or still in use. New requests use
// the current one.
type transports struct {
	config     *Config
	timeouts   timeouts
	operations *operations // counts the dials and connections
	files      *tlsFiles
	reader     sharedRead
	failures   failureLog

	mu sync.Mutex
	// short and long are the current generations of the two pools, used by all new
	// requests. They are never nil.
	short, long *generation
	// retired are earlier generations that are still in use.
	retired map[*generation]struct{}
	// certificate is the one from the credential plugin; nil is none.
	certificate *tls.Certificate
	// nextCheck is the time from which a request checks the files again.
	nextCheck time.Time
}

// pool sends requests on the connections for short or for long ones.
type pool struct {
	transports *transports
	long       bool
}

// RoundTrip sends the request on the current generation.
func (p pool) RoundTrip(request *http.Request) (*http.Response, error) {
	return p.transports.roundTrip(request, p.long)
}

func newTransports(config *Config, timeouts timeouts, ops *operations) (*transports, error) {
	files, err := loadTLSFiles(&config.TLS)
	if err != nil {
		return nil, err
	}
	t := &transports{
		config: config, timeouts: timeouts, operations: ops, files: files,
		failures: failureLog{
			logger:    config.logger(),
			failed:    "Cannot use the changed certificate files: the old ones stay in use",
			recovered: "The certificate files can be used again",
		},
		retired:   map[*generation]struct{}{},
		nextCheck: time.Now().Add(timeouts.fileCheckInterval),
	}
	t.replaceLocked()
	return t, nil
}

func (t *transports) roundTrip(request *http.Request, long bool) (*http.Response, error) {
	t.checkFiles(request.Context())
	g := t.acquire(long)
	bounded, replays, endReplays := limitReplays(request)
	release := func() {
		endReplays()
		t.release(g)
	}
	response, err := g.transport.RoundTrip(bounded)
	if err != nil {
		release()
		if replays.exceeded() {
			err = errGoAway
		}
		return nil, err
	}
	onEnd(response, release, nil)
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
	unused := retired && g.requests == 0
	if unused {
		delete(t.retired, g)
	}
	t.mu.Unlock()
	if unused {
		g.close()
	}
}

// checkFiles checks the files if that is due. The request that finds it due waits
// for a bounded time; others use the current certificates.
func (t *transports) checkFiles(ctx context.Context) {
	if !t.files.reloadable() {
		return
	}
	t.mu.Lock()
	due := !time.Now().Before(t.nextCheck)
	if due {
		t.nextCheck = time.Now().Add(t.timeouts.fileCheckInterval)
	}
	t.mu.Unlock()
	if due {
		t.reader.run(ctx, rereadTimeout, t.reload)
	}
}

// reload starts a new generation if the certificate files have changed. An invalid
// change is ignored.
func (t *transports) reload() {
	changed, err := t.files.check()
	if changed {
		t.mu.Lock()
		old := t.replaceLocked()
		t.mu.Unlock()
		t.retire(old)
	}
	t.failures.record(err)
}

// setCertificate makes new connections use the certificate of the credential
// plugin, or nil for that of the config.
func (t *transports) setCertificate(certificate *tls.Certificate) {
	t.mu.Lock()
	t.certificate = certificate
	old := t.replaceLocked()
	t.mu.Unlock()
	t.retire(old)
}

// replace starts new generations.
func (t *transports) replace() {
	t.mu.Lock()
	old := t.replaceLocked()
	t.mu.Unlock()
	t.retire(old)
}

// replaceLocked starts new generations and returns the previous ones, for retire.
func (t *transports) replaceLocked() (old []*generation) {
	for _, current := range []**generation{&t.short, &t.long} {
		if g := *current; g != nil {
			old = append(old, g)
			if g.requests > 0 {
				t.retired[g] = struct{}{}
			}
		}
		*current = newGeneration(t.config, t.timeouts, t.operations, t.files.tlsConfig(t.certificate), t.files.proxyConfig())
	}
	return old
}

// retire closes the idle connections of generations that are still in use, and all
// of others.
func (t *transports) retire(old []*generation) {
	for _, g := range old {
		t.mu.Lock()
		_, inUse := t.retired[g]
		t.mu.Unlock()
		if inUse {
			g.transport.CloseIdleConnections()
		} else {
			g.close()
		}
	}
}

// close closes all connections. operations has been stopped: there are no new ones,
// and its wait returns when the last one is closed.
func (t *transports) close() {
	t.mu.Lock()
	all := []*generation{t.short, t.long}
	for g := range t.retired {
		all = append(all, g)
	}
	t.mu.Unlock()
	for _, g := range all {
		g.close()
	}
}

var errCertificateUnusable = errors.New("it returned a client certificate, which cannot be used with Config.Transport")
