package informer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// TestTranscripts runs the files in testdata. The commands are calls of a reflector
// to the queue. The output is everything observable: the deltas of a batch, the
// store after it, the callbacks of each handler, the waits that have ended. With
// -rewrite it updates the files. The output is the same for a namespace of an informer of
// several, whose other namespace has an object.
//
//	new [transform]                   creates an informer, with or without a transform
//	add|update|delete NAME@VERSION/UID [transform=drop|fail|panic]
//	replace VERSION [broken]          the items are the lines below, as for add
//	bookmark VERSION
//	pop                               pops a batch from the queue and processes it
//	handler NAME                      adds a handler
//	remove NAME                       removes a handler
//	wait VERSION                      starts a wait for the version
//	stop
func TestTranscripts(t *testing.T) {
	for _, ofNamespaces := range []bool{false, true} {
		datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
			synctest.Test(t, func(t *testing.T) {
				tr := &transcript{ofNamespaces: ofNamespaces}
				defer tr.stop()
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					tr.out.Reset()
					tr.run(t, d)
					synctest.Wait()
					tr.report()
					return cmp.Or(tr.out.String(), "ok\n")
				})
			})
		})
	}
}

type transcript struct {
	// ofNamespaces: the informer has several namespaces.
	ofNamespaces bool

	s        *shared[*gadget]
	out      strings.Builder
	cancel   context.CancelFunc
	stopped  bool
	names    []string
	handlers map[string]*transcriptHandler
	waits    map[string]chan error
}

// A transcriptHandler is a handler of a transcript.
type transcriptHandler struct {
	calls        []string
	registration *Registration
	synced, done bool
}

func (tr *transcript) start(transform bool) {
	tr.stop()
	tr.stopped, tr.names = false, nil
	tr.handlers, tr.waits = map[string]*transcriptHandler{}, map[string]chan error{}
	o := Options[*gadget]{
		Name:   "gadgets",
		Logger: slog.New(slog.DiscardHandler),
		WatchErrorHandler: func(_ context.Context, err error) {
			tr.writeError(err)
		},
	}
	if transform {
		o.Transform = transformGadget
	}
	source := newScriptedSource("1")
	if tr.ofNamespaces {
		tr.s = newGadgetsOfNamespaces(source, o)
	} else {
		tr.s = newShared(source, StoreConfig[*gadget]{}, o)
	}
	tr.s.runContext, tr.cancel = context.WithCancel(context.Background())
	close(tr.s.started)
	tr.s.processor.start()
	if tr.ofNamespaces {
		other := tr.s.feeds.of("other")
		object := newGadget("neighbour@1/u")
		object.Namespace = "other"
		tr.writeError(other.queue.Replace(rest.ListOf("1", object).Items(), func() string { return "1" }))
		tr.writeError(other.queue.PopBatch(context.Background(), 0, func(deltas []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
			return tr.process(other, deltas, b)
		}))
	}
}

// process processes a batch as the loop of the feed does.
func (tr *transcript) process(f *feed[*gadget], deltas []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
	if set, ok := tr.s.feeds.(*namespaceSet[*gadget]); ok {
		return set.process(set.members[f.namespace], deltas, b)
	}
	return f.handleDeltas(deltas, b)
}

// transformGadget sets the color of a gadget, or does what its transform field says.
func transformGadget(g *gadget) (*gadget, bool, error) {
	switch g.transform {
	case "drop":
		return g, false, nil
	case "fail":
		return g, true, errors.New("transform failed")
	case "panic":
		panic("transform panicked")
	}
	g.color = "red"
	return g, true, nil
}

func (tr *transcript) stop() {
	if tr.stopped || tr.s == nil {
		return
	}
	tr.stopped = true
	tr.cancel()
	close(tr.s.ended)
	tr.writeError(tr.s.processor.stop())
	synctest.Wait()
}

func (tr *transcript) run(t *testing.T, d *datadriven.TestData) {
	var arg string
	if len(d.CmdArgs) > 0 {
		arg = d.CmdArgs[0].Key
	}
	q := reflector.Store[*gadget](nil)
	if tr.s != nil {
		q = tr.feed().queue
	}
	switch d.Cmd {
	case "new":
		tr.start(d.HasArg("transform"))
	case "add":
		tr.writeError(q.Add(parseGadget(t, d.CmdArgs)))
	case "update":
		tr.writeError(q.Update(parseGadget(t, d.CmdArgs)))
	case "delete":
		tr.writeError(q.Delete(parseGadget(t, d.CmdArgs)))
	case "bookmark":
		q.Bookmark(arg)
	case "replace":
		tr.replace(t, d, arg)
	case "pop":
		tr.pop(t)
	case "handler":
		tr.handler(arg)
	case "remove":
		tr.handlers[arg].registration.Remove()
	case "wait":
		result := make(chan error, 1)
		tr.waits[arg] = result
		go func() { result <- tr.waitForVersion(arg) }()
	case "stop":
		tr.stop()
	default:
		require.Fail(t, "unknown command", d.Cmd)
	}
}

// waitForVersion waits for a version of the objects of the transcript. The errors do not
// name the namespace.
func (tr *transcript) waitForVersion(version string) error {
	inf := &SharedInformer[*gadget]{shared: tr.s}
	if !tr.ofNamespaces {
		return inf.WaitForVersion(context.Background(), version)
	}
	err := inf.WaitForVersionIn(context.Background(), gadgetNamespace, version)
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), fmt.Sprintf(" in namespace %q", gadgetNamespace), ""))
	}
	return err
}

func (tr *transcript) writeError(err error) {
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&tr.out, "error: %s\n", line)
	}
}

func (tr *transcript) replace(t *testing.T, d *datadriven.TestData, version string) {
	tr.writeError(tr.feed().queue.Replace(func(yield func(*gadget, error) bool) {
		for line := range strings.Lines(d.Input) {
			_, args, err := datadriven.ParseLine("item " + line)
			require.NoError(t, err)
			if !yield(parseGadget(t, args), nil) {
				return
			}
		}
		if d.HasArg("broken") {
			yield(nil, errors.New("the list ended early"))
		}
	}, func() string { return version }))
}

func (tr *transcript) pop(t *testing.T) {
	require.NoError(t, tr.feed().queue.PopBatch(t.Context(), 0, func(deltas []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
		for _, d := range deltas {
			unknown := ""
			if d.FinalStateUnknown {
				unknown = " (unknown)"
			}
			fmt.Fprintf(&tr.out, "delta: %v %v%s\n", d.Type, d.Object, unknown)
		}
		return tr.process(tr.feed(), deltas, b)
	}))
	var stored []string
	for g := range tr.s.store.All() {
		if g.Namespace == gadgetNamespace {
			stored = append(stored, g.String())
		}
	}
	require.Equal(t, tr.ofNamespaces, len(stored) < tr.s.store.Len(), "the object of the other namespace")
	slices.Sort(stored)
	fmt.Fprintf(&tr.out, "store: %s\n", cmp.Or(strings.Join(stored, ", "), "nothing"))
	fmt.Fprintf(&tr.out, "version=%s epoch=%d synced=%v\n",
		cmp.Or(tr.feed().version(), "-"), tr.feed().epoch(), tr.feed().queue.HasSynced())
}

func (tr *transcript) handler(name string) {
	p := &transcriptHandler{}
	handler := textHandler(func(call string) {
		if !strings.Contains(call, "neighbour") {
			p.calls = append(p.calls, call)
		}
	})
	r, err := tr.s.processor.add(handler, HandlerOptions{Name: name})
	tr.writeError(err)
	if err == nil {
		p.registration = r
		tr.names = append(tr.names, name)
		tr.handlers[name] = p
	}
}

// report writes the callbacks of the handlers and the results of the waits.
func (tr *transcript) report() {
	for _, name := range tr.names {
		p := tr.handlers[name]
		for _, call := range p.calls {
			fmt.Fprintf(&tr.out, "%s: %s\n", name, call)
		}
		p.calls = nil
		if is := closed(p.registration.Synced()); is && !p.synced {
			p.synced = true
			fmt.Fprintf(&tr.out, "%s: synced\n", name)
		}
		if is := closed(p.registration.Done()); is && !p.done {
			p.done = true
			fmt.Fprintf(&tr.out, "%s: done\n", name)
		}
	}
	for _, version := range slices.Sorted(maps.Keys(tr.waits)) {
		select {
		case err := <-tr.waits[version]:
			delete(tr.waits, version)
			fmt.Fprintf(&tr.out, "wait for %s: %v\n", version, cmp.Or(err, errors.New("reached")))
		default:
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func parseGadget(t *testing.T, args []datadriven.CmdArg) *gadget {
	g := newGadget(args[0].Key)
	g.Namespace = gadgetNamespace
	for _, arg := range args[1:] {
		require.Equal(t, "transform", arg.Key)
		g.transform = arg.Vals[0]
	}
	return g
}

// feed returns the feed of the objects of the transcript.
func (tr *transcript) feed() *feed[*gadget] { return tr.s.feeds.of(gadgetNamespace) }
