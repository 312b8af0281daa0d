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
)

// TestTranscripts plays the files in testdata: what a reflector would tell the
// queue comes in, and everything observable comes out: the deltas of a batch,
// the store after it, what each handler is told, who has waited for a version.
// With -rewrite it writes down what comes out.
//
//	new [transform]                   an informer; with transform, fates count
//	add|update|delete KEY@VERSION/UID [fate=drop|fail|blow]
//	replace VERSION [broken]          its items, as above, one a line
//	bookmark VERSION
//	pop                               one batch goes the rest of the way
//	handler NAME                      one more
//	remove NAME                       one less
//	wait VERSION                      somebody waits for it
//	stop
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			tr := &transcript{}
			defer tr.stop()
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				tr.out.Reset()
				tr.run(t, d)
				synctest.Wait()
				tr.tell()
				return cmp.Or(tr.out.String(), "ok\n")
			})
		})
	})
}

type transcript struct {
	s       *shared[*gadget]
	out     strings.Builder
	cancel  context.CancelFunc
	stopped bool
	names   []string
	players map[string]*player
	waits   map[string]chan error
}

// A player is a handler of a transcript.
type player struct {
	calls        []string
	registration *Registration
	synced, done bool
}

func (tr *transcript) start(transform bool) {
	tr.stop()
	tr.stopped, tr.names = false, nil
	tr.players, tr.waits = map[string]*player{}, map[string]chan error{}
	o := Options[*gadget]{
		Name:   "gadgets",
		Logger: slog.New(slog.DiscardHandler),
		WatchErrorHandler: func(_ context.Context, err error) {
			tr.fails(err)
		},
	}
	if transform {
		o.Transform = transformed
	}
	tr.s = newShared(aStock("1"), Parts[*gadget]{}, o)
	tr.s.run, tr.cancel = context.WithCancel(context.Background())
	close(tr.s.began)
	tr.s.processor.start()
}

// transformed paints a gadget, or does what its fate is.
func transformed(g *gadget) (*gadget, bool, error) {
	switch g.fate {
	case "drop":
		return g, false, nil
	case "fail":
		return g, true, errors.New("it has no paint")
	case "blow":
		panic("the paint is on fire")
	}
	g.colour = "red"
	return g, true, nil
}

func (tr *transcript) stop() {
	if tr.stopped || tr.s == nil {
		return
	}
	tr.stopped = true
	tr.cancel()
	close(tr.s.ended)
	tr.fails(tr.s.processor.stop())
	synctest.Wait()
}

func (tr *transcript) run(t *testing.T, d *datadriven.TestData) {
	var word string
	if len(d.CmdArgs) > 0 {
		word = d.CmdArgs[0].Key
	}
	q := reflector.Store[*gadget](nil)
	if tr.s != nil {
		q = tr.s.queue
	}
	switch d.Cmd {
	case "new":
		tr.start(d.HasArg("transform"))
	case "add":
		tr.fails(q.Add(parseGadget(t, d.CmdArgs)))
	case "update":
		tr.fails(q.Update(parseGadget(t, d.CmdArgs)))
	case "delete":
		tr.fails(q.Delete(parseGadget(t, d.CmdArgs)))
	case "bookmark":
		q.Bookmark(word)
	case "replace":
		tr.replace(t, d, word)
	case "pop":
		tr.pop(t)
	case "handler":
		tr.handler(word)
	case "remove":
		tr.players[word].registration.Remove()
	case "wait":
		told := make(chan error, 1)
		tr.waits[word] = told
		go func() { told <- (&SharedInformer[*gadget]{shared: tr.s}).WaitForVersion(context.Background(), word) }()
	case "stop":
		tr.stop()
	default:
		require.Fail(t, "no such command", d.Cmd)
	}
}

func (tr *transcript) fails(err error) {
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&tr.out, "error: %s\n", line)
	}
}

func (tr *transcript) replace(t *testing.T, d *datadriven.TestData, version string) {
	tr.fails(tr.s.queue.Replace(func(yield func(*gadget, error) bool) {
		for line := range strings.Lines(d.Input) {
			_, args, err := datadriven.ParseLine("item " + line)
			require.NoError(t, err)
			if !yield(parseGadget(t, args), nil) {
				return
			}
		}
		if d.HasArg("broken") {
			yield(nil, errors.New("the list has broken off"))
		}
	}, func() string { return version }))
}

func (tr *transcript) pop(t *testing.T) {
	require.NoError(t, tr.s.queue.PopBatch(t.Context(), 0, func(deltas []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
		for _, d := range deltas {
			unknown := ""
			if d.FinalStateUnknown {
				unknown = " (unknown)"
			}
			fmt.Fprintf(&tr.out, "delta: %v %v%s\n", d.Type, d.Object, unknown)
		}
		return tr.s.handleDeltas(deltas, b)
	}))
	var stored []string
	for g := range tr.s.store.All() {
		stored = append(stored, g.String())
	}
	slices.Sort(stored)
	fmt.Fprintf(&tr.out, "store: %s\n", cmp.Or(strings.Join(stored, ", "), "nothing"))
	fmt.Fprintf(&tr.out, "version=%s epoch=%d synced=%v\n",
		cmp.Or(tr.s.store.Version(), "-"), tr.s.versions.epoch.Load(), tr.s.queue.HasSynced())
}

func (tr *transcript) handler(name string) {
	p := &player{}
	r, err := tr.s.processor.add(shown(func(call string) { p.calls = append(p.calls, call) }), HandlerOptions{Name: name})
	tr.fails(err)
	if err == nil {
		p.registration = r
		tr.names = append(tr.names, name)
		tr.players[name] = p
	}
}

// tell writes down what the handlers and those who wait have been told.
func (tr *transcript) tell() {
	for _, name := range tr.names {
		p := tr.players[name]
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
			fmt.Fprintf(&tr.out, "who waited for %s: %v\n", version, cmp.Or(err, errors.New("it is there")))
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
	g := aGadget(args[0].Key)
	for _, arg := range args[1:] {
		require.Equal(t, "fate", arg.Key)
		g.fate = arg.Vals[0]
	}
	return g
}
