package controller_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// quiet discards what is logged.
var quiet = slog.New(slog.DiscardHandler)

// testProgram is a program in a bubble: a server, a factory with an informer of config
// maps, and the options of Run, which serves health and debug pages on listener.
type testProgram struct {
	t        *testing.T
	srv      *apitest.Server
	client   *rest.Client
	factory  *informer.Factory
	maps     *informer.SharedInformer[*configMap]
	options  controller.RunOptions
	listener *pipeListener
	log      *logBuffer

	stop  context.CancelFunc
	ended chan error
}

func newTestProgram(t *testing.T, o apitest.Options) *testProgram {
	t.Helper()
	o.InMemory = true
	s := &testProgram{t: t, srv: apitest.NewServer(o), listener: newPipeListener(), log: new(logBuffer), ended: make(chan error, 1)}
	t.Cleanup(s.srv.Close)
	var err error
	s.client, err = rest.New(s.srv.Config())
	require.NoError(t, err)
	t.Cleanup(s.client.Close)
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	s.factory = informer.NewFactory(informer.FactoryOptions{Logger: quiet})
	s.maps = informer.For(s.factory, rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{})
	s.options = controller.RunOptions{
		Factory: s.factory, NoSignals: true, Logger: logger,
		Serve: controller.HTTP{Listener: s.listener},
	}
	return s
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// newController returns a controller of the config maps that calls f.
func (p *testProgram) newController(name string, f controller.Func) *controller.Controller {
	c := controller.New(name, f, controller.Options{Logger: quiet})
	controller.For(c, p.maps)
	return c
}

// run starts Run.
func (p *testProgram) run(controllers ...*controller.Controller) {
	ctx, cancel := context.WithCancel(p.t.Context())
	p.stop = cancel
	go func() { p.ended <- controller.Run(ctx, p.options, controllers...) }()
}

// stopAndWait stops the program and returns the error of Run.
func (p *testProgram) stopAndWait() error {
	p.stop()
	return <-p.ended
}

// get returns the response of the program. If there is none, the code is 0.
func (p *testProgram) get(path string) (code int, body string) {
	p.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: p.listener.dial, DisableKeepAlives: true}}
	response, err := client.Get("http://program" + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return response.StatusCode, string(text)
}

func (p *testProgram) create(name string) {
	apitest.Create(p.t, p.srv, &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	})
}

// doNothing is a reconcile that succeeds.
func doNothing(context.Context, controller.Request) (controller.Result, error) {
	return controller.Result{}, nil
}

// recorder records events in their order.
type recorder struct {
	mu      sync.Mutex
	entries []string
}

func (r *recorder) add(entry string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, entry)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entries
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns the text that was logged since the last call.
func (l *logBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// pipeListener is a listener in memory.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

// dial has the signature of net.Dialer.DialContext.
func (p *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-p.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

// fakeElector is an Elector that the test controls.
type fakeElector struct {
	// lead starts a term. lose ends it with the loss of leadership.
	lead, lose chan struct{}
	// report is called when the leadership is released and when the election ends.
	report func(event string)
	// check is the result of Check.
	check error
	// leadErr is the last result of the function that was passed to Run.
	leadErr error
}

func newFakeElector(report func(string)) *fakeElector {
	return &fakeElector{lead: make(chan struct{}), lose: make(chan struct{}), report: report}
}

func (e *fakeElector) Check() error { return e.check }

func (e *fakeElector) Run(ctx context.Context, lead func(context.Context) error) error {
	defer e.report("election ended")
	for {
		select {
		case <-e.lead:
		case <-ctx.Done():
			return nil
		}
		leading, lose := context.WithCancelCause(context.WithoutCancel(ctx))
		acting, stop := context.WithCancelCause(controller.WithLeading(ctx, leading))
		ended := make(chan error, 1)
		go func() { ended <- lead(acting) }()
		var err error
		select {
		case <-e.lose:
			lose(controller.ErrNotLeading)
			stop(controller.ErrNotLeading)
			err = <-ended
		case err = <-ended:
			lose(nil)
		}
		e.leadErr = err
		stop(nil)
		lose(nil)
		e.report("leadership released")
		if err != nil {
			return err
		}
	}
}
