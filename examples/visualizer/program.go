package main

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/rest"
)

//go:embed rbac.yaml
var rbac []byte

// program has everything that run starts and ends.
type program struct {
	cluster  *cluster.Cluster
	pipeline *pipeline
	view     *view
	site     *site
	clone    *clone
	logger   *slog.Logger
}

// serverOptions are those of the embedded server. Its controllers delete the copies of
// deleted sources.
func serverOptions() apitest.Options {
	return apitest.Options{PlainHTTP: true, Controllers: true, Logger: slog.New(slog.DiscardHandler)}
}

// newProgram connects to a server. Errors are logged to out if the server is a real one;
// with the embedded server they are those that the page has asked for, and shows.
func newProgram(ctx context.Context, f flags, out io.Writer) (*program, error) {
	c, err := cluster.Open(ctx, f.Flags, cluster.Options{RBAC: rbac, Out: out, Server: serverOptions()})
	if err != nil {
		return nil, err
	}
	logger := slog.New(slog.DiscardHandler)
	if c.Embedded == nil {
		logger = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	p, err := assemble(c, f, logger, openClone("."))
	if err != nil {
		c.Close()
		return nil, err
	}
	return p, nil
}

// assemble connects the parts; it starts nothing.
func assemble(c *cluster.Cluster, f flags, logger *slog.Logger, clone *clone) (*program, error) {
	records := newRecorder(maxRecords)
	embedded := c.Embedded != nil
	write := embedded || f.write
	if embedded {
		apitest.Seed(nil, c.Embedded, f.objects, func(i int) *ConfigMap {
			object := sourceObject(itemName(i+1), "", i+1)
			object.Namespace = c.Namespace
			return object
		})
	}
	pipeline, err := newPipeline(records, pipelineOptions{
		config: c.Config, namespace: c.Namespace, write: write, hideText: !embedded && !f.text, logger: logger,
	})
	if err != nil {
		return nil, err
	}
	var objects *rest.Resource[*ConfigMap]
	if write {
		objects = rest.NewResource[*ConfigMap](c.Client, configMaps).Namespace(c.Namespace)
	}
	v := &view{
		records: records, pipeline: pipeline, controls: newControls(records, pipeline, objects, c.Embedded), links: clone.links(),
		server: ServerInfo{Embedded: embedded, Host: c.Config.Host, Namespace: c.Namespace, Resource: configMaps.Resource, Write: write},
	}
	return &program{cluster: c, pipeline: pipeline, view: v, site: newSite(v, f.address, clone), clone: clone, logger: logger}, nil
}

// Close closes the connections and files.
func (p *program) Close() {
	p.clone.Close()
	p.cluster.Close()
}

// shutdownTimeout is the time for requests in progress at the end.
const shutdownTimeout = 5 * time.Second

// newServer returns the server of the page. A client that does not read its response is
// cut off; a stream has a timeout for each message instead.
func (p *program) newServer() *http.Server {
	return &http.Server{
		Handler: p.site.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		WriteTimeout: controlTimeout + writeTimeout,
		ErrorLog:     slog.NewLogLogger(p.logger.Handler(), slog.LevelDebug),
	}
}

// run serves the page on the listener until ctx ends or a part fails.
func (p *program) run(ctx context.Context, listener net.Listener) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	server := p.newServer()
	server.BaseContext = func(net.Listener) context.Context { return ctx } // ends the streams
	var running sync.WaitGroup
	var workErr, serveErr error
	running.Go(func() {
		defer end()
		workErr = p.work(ctx)
	})
	running.Go(func() {
		defer end()
		if serveErr = server.Serve(listener); errors.Is(serveErr, http.ErrServerClosed) {
			serveErr = nil
		}
	})
	<-ctx.Done()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(bounded) != nil {
		_ = server.Close()
	}
	running.Wait()
	return errors.Join(workErr, serveErr)
}

// work runs the pipeline and records its states until ctx ends.
func (p *program) work(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(ctx, p.view.controls.release)()
	p.view.checkpoint()
	var sampling sync.WaitGroup
	defer sampling.Wait()
	sampling.Go(func() { p.view.sample(ctx) })
	defer end()
	return p.pipeline.run(ctx, p.logger)
}
