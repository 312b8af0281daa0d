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

// TestTranscripts runs the commands of the files in testdata and compares the state
// of the queue after each one. With -rewrite it updates the files.
//
//	new [transform]                a queue, with or without a Transform
//	add|update|delete KEY@VERSION [uid=U] [drop|fail|panic]
//	replace VERSION [broken]       one item per line, in the syntax of add
//	bookmark VERSION, resync, close
//	open pop|batch NAME [max=N]    the first half of a Pop or PopBatch
//	done NAME                      the second half: the deltas are in the store
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
	q     *DeltaFIFO[testObject]
	store mapStore
	open  map[string]*delivery[testObject]
	out   strings.Builder
}

func newTranscript(transform bool) *transcript {
	tr := &transcript{store: mapStore{}, open: map[string]*delivery[testObject]{}}
	o := Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta, KnownObjects: tr.store}
	if transform {
		o.Transform = func(obj testObject) (testObject, bool, error) {
			fmt.Fprintf(&tr.out, "transform %s\n", show(obj))
			return obj.transform()
		}
	}
	o.OnError = func(key string, err error) { tr.printError(err) }
	tr.q = New(o)
	return tr
}

func (tr *transcript) run(t *testing.T, d *datadriven.TestData) {
	switch d.Cmd {
	case "add":
		tr.printError(tr.q.Add(parseObject(t, d.CmdArgs)))
	case "update":
		tr.printError(tr.q.Update(parseObject(t, d.CmdArgs)))
	case "delete":
		tr.printError(tr.q.Delete(parseObject(t, d.CmdArgs)))
	case "bookmark":
		tr.q.Bookmark(d.CmdArgs[0].Key)
	case "resync":
		tr.printError(tr.q.Resync())
	case "close":
		tr.q.Close()
	case "replace":
		tr.replace(t, d)
	case "open":
		tr.begin(t, d)
	case "done":
		popped, ok := tr.open[d.CmdArgs[0].Key]
		if !ok {
			tr.out.WriteString("no such delivery\n")
			return
		}
		delete(tr.open, d.CmdArgs[0].Key)
		tr.store.apply(popped.deltas)
		tr.q.finish(popped)
	default:
		require.Fail(t, "unknown command", d.Cmd)
	}
}

func (tr *transcript) printError(err error) {
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&tr.out, "error: %s\n", line)
	}
}

func (tr *transcript) replace(t *testing.T, d *datadriven.TestData) {
	version := d.CmdArgs[0].Key
	tr.printError(tr.q.Replace(func(yield func(testObject, error) bool) {
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
			if !yield(parseObject(t, args), nil) {
				return
			}
		}
		if d.HasArg("broken") {
			yield(testObject{}, io.ErrUnexpectedEOF)
		}
	}, versionFunc(version)))
}

func (tr *transcript) begin(t *testing.T, d *datadriven.TestData) {
	max, name := 0, d.CmdArgs[1].Key
	d.MaybeScanArgs(t, "max", &max)
	popped := tr.q.tryBegin(d.CmdArgs[0].Key == "batch", max)
	if popped == nil {
		tr.out.WriteString("would wait\n")
		return
	}
	tr.open[name] = popped
	info := popped.batchInfo
	for i := 0; i <= len(popped.deltas); i++ {
		for _, m := range info.Markers {
			if popped.batch && m.After == i {
				fmt.Fprintf(&tr.out, "  %s %s\n", m.Kind, cmp.Or(m.Version, "-"))
			}
		}
		if i < len(popped.deltas) {
			fmt.Fprintf(&tr.out, "  %s\n", showDelta(popped.deltas[i]))
		}
	}
	fmt.Fprintf(&tr.out, "  initial=%v", info.InInitialList)
	if popped.batch {
		fmt.Fprintf(&tr.out, " replace=%v version=%s", info.Replace, cmp.Or(info.Version, "-"))
	}
	tr.out.WriteString("\n")
}

// state returns a text of the complete state of the queue.
func (tr *transcript) state() string {
	var b strings.Builder
	tr.q.mu.Lock()
	var queued []string
	for n := tr.q.log.head; n != nil; n = n.next {
		switch {
		case n.state == nil:
			queued = append(queued, fmt.Sprintf("%s %s", n.marker, cmp.Or(n.version, "-")))
		default:
			shown := showDelta(Delta[testObject]{n.kind, n.object, n.state.key, n.finalStateUnknown})
			if n.final != nil {
				shown += " (then " + show(*n.final) + ")"
			}
			queued = append(queued, shown)
		}
	}
	tr.q.mu.Unlock()
	fmt.Fprintf(&b, "queued: %s\n", cmp.Or(strings.Join(queued, ", "), "nothing"))
	for _, name := range slices.Sorted(maps.Keys(tr.open)) {
		fmt.Fprintf(&b, "in progress: %s\n", name)
	}
	fmt.Fprintf(&b, "version=%s synced=%v len=%d\n", cmp.Or(tr.q.Version(), "-"), tr.q.HasSynced(), tr.q.Len())
	return b.String()
}

func showDelta(d Delta[testObject]) string {
	unknown := ""
	if d.FinalStateUnknown {
		unknown = " (unknown)"
	}
	return fmt.Sprintf("%s %s%s", d.Type, show(d.Object), unknown)
}

func show(obj testObject) string {
	if obj.uid == "" {
		return obj.key + "@" + obj.version
	}
	return fmt.Sprintf("%s@%s/%s", obj.key, obj.version, obj.uid)
}

func parseObject(t *testing.T, args []datadriven.CmdArg) testObject {
	var obj testObject
	obj.key, obj.version, _ = strings.Cut(args[0].Key, "@")
	for _, arg := range args[1:] {
		outcomes := map[string]outcome{"drop": drop, "fail": fails, "panic": panics}
		if v, ok := outcomes[arg.Key]; ok {
			obj.outcome = v
			continue
		}
		require.Equal(t, "uid", arg.Key)
		obj.uid = types.UID(arg.Vals[0])
	}
	return obj
}
