package main

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// idleTimeout is the time after which a silent watch is replaced.
const idleTimeout = 45 * time.Second

// userAgent is that of the requests of the pipeline.
const userAgent = "visualizer-pipeline"

// pipeline is the observed informer and controller.
type pipeline struct {
	records    *recorder
	sockets    *sockets
	transport  *http.Transport
	client     *rest.Client
	informer   *informer.SharedInformer[*ConfigMap]
	copier     *copier
	handler    *handler
	controller *controller.Controller
}

// pipelineOptions configure a pipeline.
type pipelineOptions struct {
	config    *rest.Config
	namespace string
	// write: the controller writes. hideText: the text of responses is not recorded.
	write, hideText bool
	logger          *slog.Logger
}

func newPipeline(records *recorder, o pipelineOptions) (*pipeline, error) {
	p := &pipeline{
		records: records,
		sockets: &sockets{records: records, hideText: o.hideText, open: map[int]*socket{}},
		handler: &handler{records: records},
	}
	config, transport, err := p.sockets.connect(o.config)
	if err != nil {
		return nil, err
	}
	config.UserAgent, config.Trace = userAgent, p.requestTrace()
	if p.client, err = rest.New(config); err != nil {
		return nil, err
	}
	p.transport = transport
	resource := rest.NewResource[*ConfigMap](p.client, configMaps).Namespace(o.namespace)
	p.informer = informer.New(resource, informer.Options[*ConfigMap]{
		IdleTimeout: idleTimeout, Logger: o.logger, Trace: p.informerTrace(),
	})
	if err := p.informer.AddIndexes(map[string]func(*ConfigMap) []string{
		indexer.NamespaceIndex: indexer.MetaNamespaceIndexFunc[*ConfigMap],
		colorLabel:             func(object *ConfigMap) []string { return valueOf(object.Labels[colorLabel]) },
	}); err != nil {
		return nil, err
	}
	if _, err := p.informer.AddEventHandler(p.handler, informer.HandlerOptions{Name: slowHandler}); err != nil {
		return nil, err
	}
	p.copier = &copier{cache: p.informer, maps: resource, write: o.write, outcomes: map[controller.Request]string{}}
	p.controller = newController(p, o)
	return p, nil
}

func newController(p *pipeline, o pipelineOptions) *controller.Controller {
	c := controller.New("copier", p.copier, controller.Options{
		MaxConcurrentReconciles: maxWorkers, Logger: o.logger, Trace: p.controllerTrace(),
		Backoff: controller.Backoff{Base: 100 * time.Millisecond, Max: 10 * time.Second},
	})
	controller.Watches(c, p.informer, p.copier.requests)
	return c
}

func valueOf(label string) []string {
	if label == "" {
		return nil
	}
	return []string{label}
}

// run runs until ctx ends.
func (p *pipeline) run(ctx context.Context, logger *slog.Logger) error {
	defer p.transport.CloseIdleConnections()
	defer p.client.Close()
	return controller.Run(ctx, controller.RunOptions{
		Informers: []controller.Informer{p.informer}, NoSignals: true, Logger: logger,
	}, p.controller)
}

func (p *pipeline) requestTrace() *rest.Trace {
	record := func(kind string, info rest.RequestInfo) Record {
		r := Record{Stage: StageRequest, Kind: kind, Verb: info.Verb, Method: info.Method, Path: info.Path}
		if info.Name != "" {
			r.Key = info.Namespace + "/" + info.Name
		}
		return r
	}
	return &rest.Trace{
		RequestStart: func(info rest.RequestInfo) { p.records.add(record("started", info)) },
		RequestDone: func(info rest.RequestInfo, response rest.ResponseInfo) {
			r := record("done", info)
			r.Status, r.Error, r.Ms = response.Status, textOf(response.Err), milliseconds(response.Latency)
			p.records.add(r)
		},
		Wrote: func(info rest.WriteInfo) {
			p.records.add(Record{Stage: StageRequest, Kind: "wrote", Verb: info.Verb, Key: info.Namespace + "/" + info.Name, Version: info.ResourceVersion})
		},
	}
}

func (p *pipeline) informerTrace() *informer.Trace {
	object := func(stage Stage, kind string) func(informer.TraceInfo) {
		return func(info informer.TraceInfo) {
			p.records.add(Record{Stage: stage, Kind: kind, Name: info.Handler, Key: info.Key, Version: info.Version, Event: info.Event})
		}
	}
	deltaTypes := map[string]string{"ADDED": "Added", "MODIFIED": "Updated", "DELETED": "Deleted"}
	filed := object(StageFIFO, "filed")
	return &informer.Trace{
		Received: func(info informer.TraceInfo) {
			info.Event = deltaTypes[info.Event]
			filed(info)
		},
		Popped:   object(StageFIFO, "popped"),
		Stored:   object(StageStore, "applied"),
		Called:   object(StageHandler, "called"),
		Returned: object(StageHandler, "returned"),
		Merged:   object(StageHandler, "merged"),
		Applied: func(info informer.BatchInfo) {
			p.records.add(Record{Stage: StageStore, Kind: "batch", Count: info.Changes, Pending: info.Queued, Version: info.Version, Ms: milliseconds(info.Duration)})
		},
		Reflector: &reflector.Trace{Step: func(_ time.Time, input, outcome string) {
			text, _, _ := strings.Cut(input, " jitter=") // a random number, for replays
			p.records.add(Record{Stage: StageMachine, Kind: "step", Text: text, Outcome: outcome})
		}},
	}
}

func (p *pipeline) controllerTrace() *controller.Trace {
	record := func(stage Stage, kind string, info controller.TraceInfo) Record {
		return Record{Stage: stage, Kind: kind, Key: info.Request.String()}
	}
	return &controller.Trace{
		Queued: func(info controller.TraceInfo, reason controller.Reason) {
			r := record(StageQueue, "queued", info)
			r.Reason = reason.String()
			p.records.add(r)
		},
		Started: func(info controller.TraceInfo) { p.records.add(record(StageWorker, "started", info)) },
		Ended: func(info controller.TraceInfo, result controller.Result, err error, took time.Duration) {
			r := record(StageWorker, "ended", info)
			r.Outcome, r.Error = p.copier.outcome(info.Request), textOf(err)
			r.Ms, r.RequeueMs = milliseconds(took), milliseconds(result.RequeueAfter)
			p.records.add(r)
		},
		Retried: func(info controller.TraceInfo, delay time.Duration, err error) {
			r := record(StageWorker, "retried", info)
			r.RequeueMs, r.Error = milliseconds(delay), textOf(err)
			p.records.add(r)
		},
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxError is the longest text of an error, in bytes.
const maxError = 500

// textOf returns the first line of the text of an error, "" for none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.ToValidUTF8(text[:min(len(text), maxError)], "")
}
