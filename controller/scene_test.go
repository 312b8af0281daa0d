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

// scene is a server, a factory with an informer of configmaps, and a place to be
// asked at, all within a bubble.
type scene struct {
	t       *testing.T
	srv     *apitest.Server
	client  *rest.Client
	factory *informer.Factory
	maps    *informer.SharedInformer[*configMap]
	options controller.RunOptions
	door    *pipes
	log     *logbook

	stop  context.CancelFunc
	ended chan error
}

func newScene(t *testing.T, o apitest.Options) *scene {
	t.Helper()
	o.InMemory = true
	s := &scene{t: t, srv: apitest.NewServer(o), door: newPipes(), log: new(logbook), ended: make(chan error, 1)}
	t.Cleanup(s.srv.Close)
	var err error
	s.client, err = rest.New(s.srv.Config())
	require.NoError(t, err)
	t.Cleanup(s.client.Close)
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	s.factory = informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)})
	s.maps = informer.For(s.factory, rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{})
	s.options = controller.RunOptions{
		Factory: s.factory, NoSignals: true, Logger: logger,
		Serve: controller.HTTP{Listener: s.door},
	}
	return s
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// controller is one for the configmaps, that calls f.
func (s *scene) controller(name string, f controller.Func) *controller.Controller {
	c := controller.New(name, f, controller.Options{Logger: slog.New(slog.DiscardHandler)})
	controller.For(c, s.maps)
	return c
}

func (s *scene) run(controllers ...*controller.Controller) {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.stop = cancel
	go func() { s.ended <- controller.Run(ctx, s.options, controllers...) }()
}

// end tells it to stop, and returns its error.
func (s *scene) end() error {
	s.stop()
	return <-s.ended
}

// get is the answer of the program; code 0 is none.
func (s *scene) get(path string) (code int, body string) {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: s.door.dial, DisableKeepAlives: true}}
	response, err := client.Get("http://program" + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response.StatusCode, string(text)
}

func (s *scene) create(name string) {
	apitest.Create(s.t, s.srv, &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	})
}

// nothing is a reconcile that does that.
func nothing(context.Context, controller.Request) (controller.Result, error) {
	return controller.Result{}, nil
}

// logbook is a log that is read while it is written.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take is what was logged since it was last called.
func (l *logbook) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// pipes is a listener in memory.
type pipes struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{calls: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.calls <- there:
		return here, nil
	case <-p.closed:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

// elector is one that does as it is told.
type elector struct {
	// lead and lose are what happens.
	lead, lose chan struct{}
	told       func(string)
	check      error
	// outcome is what lead has returned last.
	outcome error
}

func newElector(told func(string)) *elector {
	return &elector{lead: make(chan struct{}), lose: make(chan struct{}), told: told}
}

func (e *elector) Check() error { return e.check }

func (e *elector) Run(ctx context.Context, lead func(context.Context) error) error {
	defer e.told("election ended")
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
		e.outcome = err
		stop(nil)
		lose(nil)
		e.told("released")
		if err != nil {
			return err
		}
	}
}
