package deltafifo

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// TestTranscripts plays the files in testdata: commands in, everything
// observable out. With -rewrite it writes down what comes out.
//
//	new [transform]                a queue; with transform, verdicts count
//	add|update|delete KEY@VERSION [uid=U] [drop|fail|blow]
//	replace VERSION [broken]       its items, as above, one a line
//	bookmark VERSION, resync, close
//	open pop|batch NAME [max=N]    the first half of a Pop or PopBatch
//	done NAME                      the other half; the store has it then
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var tr *transcript
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				tr = newTranscript(d.HasArg("transform"))
				return tr.state()
			}
			tr.out.Reset()
			tr.run(t, d)
			return tr.out.String() + tr.state()
		})
	})
}

type transcript struct {
	q     *DeltaFIFO[thing]
	store shelf
	open  map[string]*handout[thing]
	out   strings.Builder
}

func newTranscript(transform bool) *transcript {
	tr := &transcript{store: shelf{}, open: map[string]*handout[thing]{}}
	o := Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta, KnownObjects: tr.store}
	if transform {
		o.Transform = func(th thing) (thing, bool, error) {
			fmt.Fprintf(&tr.out, "transform %s\n", show(th))
			return th.judged()
		}
	}
	o.OnError = func(key string, err error) { tr.fails(err) }
	tr.q = New(o)
	return tr
}

func (tr *transcript) run(t *testing.T, d *datadriven.TestData) {
	switch d.Cmd {
	case "add":
		tr.fails(tr.q.Add(parseThing(t, d.CmdArgs)))
	case "update":
		tr.fails(tr.q.Update(parseThing(t, d.CmdArgs)))
	case "delete":
		tr.fails(tr.q.Delete(parseThing(t, d.CmdArgs)))
	case "bookmark":
		tr.q.Bookmark(d.CmdArgs[0].Key)
	case "resync":
		tr.fails(tr.q.Resync())
	case "close":
		tr.q.Close()
	case "replace":
		tr.replace(t, d)
	case "open":
		tr.begin(t, d)
	case "done":
		h, ok := tr.open[d.CmdArgs[0].Key]
		if !ok {
			tr.out.WriteString("no such one\n")
			return
		}
		delete(tr.open, d.CmdArgs[0].Key)
		tr.store.apply(h.deltas)
		tr.q.finish(h)
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

func (tr *transcript) replace(t *testing.T, d *datadriven.TestData) {
	version := d.CmdArgs[0].Key
	tr.fails(tr.q.Replace(func(yield func(thing, error) bool) {
		for line := range strings.Lines(d.Input) {
			var args []datadriven.CmdArg
			for _, word := range strings.Fields(line) {
				key, value, ok := strings.Cut(word, "=")
				arg := datadriven.CmdArg{Key: key}
				if ok {
					arg.Vals = []string{value}
				}
				args = append(args, arg)
			}
			if !yield(parseThing(t, args), nil) {
				return
			}
		}
		if d.HasArg("broken") {
			yield(thing{}, io.ErrUnexpectedEOF)
		}
	}, at(version)))
}

func (tr *transcript) begin(t *testing.T, d *datadriven.TestData) {
	max, name := 0, d.CmdArgs[1].Key
	d.MaybeScanArgs(t, "max", &max)
	h := tr.q.tryBegin(d.CmdArgs[0].Key == "batch", max)
	if h == nil {
		tr.out.WriteString("would wait\n")
		return
	}
	tr.open[name] = h
	about := h.about
	for i := 0; i <= len(h.deltas); i++ {
		for _, m := range about.Markers {
			if h.batch && m.After == i {
				fmt.Fprintf(&tr.out, "  %s %s\n", m.Kind, cmp.Or(m.Version, "-"))
			}
		}
		if i < len(h.deltas) {
			fmt.Fprintf(&tr.out, "  %s\n", showDelta(h.deltas[i]))
		}
	}
	fmt.Fprintf(&tr.out, "  initial=%v", about.InInitialList)
	if h.batch {
		fmt.Fprintf(&tr.out, " replace=%v version=%s", about.Replace, cmp.Or(about.Version, "-"))
	}
	tr.out.WriteString("\n")
}

// state tells everything that is in the queue.
func (tr *transcript) state() string {
	var b strings.Builder
	tr.q.mu.Lock()
	var queued []string
	for n := tr.q.log.head; n != nil; n = n.next {
		switch {
		case n.state == nil:
			queued = append(queued, fmt.Sprintf("%s %s", n.marker, cmp.Or(n.version, "-")))
		default:
			queued = append(queued, showDelta(Delta[thing]{n.kind, n.object, n.state.key, n.finalStateUnknown}))
		}
	}
	tr.q.mu.Unlock()
	fmt.Fprintf(&b, "queued: %s\n", cmp.Or(strings.Join(queued, ", "), "nothing"))
	for _, name := range slices.Sorted(maps.Keys(tr.open)) {
		fmt.Fprintf(&b, "in process: %s\n", name)
	}
	fmt.Fprintf(&b, "version=%s synced=%v len=%d\n", cmp.Or(tr.q.Version(), "-"), tr.q.HasSynced(), tr.q.Len())
	return b.String()
}

func showDelta(d Delta[thing]) string {
	unknown := ""
	if d.FinalStateUnknown {
		unknown = " (unknown)"
	}
	return fmt.Sprintf("%s %s%s", d.Type, show(d.Object), unknown)
}

func show(th thing) string {
	if th.uid == "" {
		return th.key + "@" + th.version
	}
	return fmt.Sprintf("%s@%s/%s", th.key, th.version, th.uid)
}

func parseThing(t *testing.T, args []datadriven.CmdArg) thing {
	var th thing
	th.key, th.version, _ = strings.Cut(args[0].Key, "@")
	for _, arg := range args[1:] {
		verdicts := map[string]verdict{"drop": drop, "fail": fail, "blow": blow}
		if v, ok := verdicts[arg.Key]; ok {
			th.verdict = v
			continue
		}
		require.Equal(t, "uid", arg.Key)
		th.uid = types.UID(arg.Vals[0])
	}
	return th
}
