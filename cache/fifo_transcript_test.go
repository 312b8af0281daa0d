package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestQueueTranscripts runs the commands in testdata/queues and compares the
// observable results. With -rewrite it rewrites the results.
//
//	new delta|real|fifo [known] [transform] [replaced] [atomic] [bookmarks]
//	add|update|delete KEY[@VERSION[/UID]]    KEY bad has no key; KEY invalid cannot be transformed
//	tombstone KEY@VERSION                    deletes with a tombstone
//	replace VERSION                          followed by its items, one per line
//	resync, close, bookmark VERSION
//	pop [fail], batch [fail]                 followed by the commands to run during processing
//
// Processed objects are added to the known objects.
func TestQueueTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/queues", func(t *testing.T, path string) {
		var tr *queueTranscript
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				tr = newQueueTranscript(t, d)
				return tr.state()
			}
			tr.out.Reset()
			tr.play(d)
			return tr.out.String() + tr.state()
		})
	})
}

type queueTranscript struct {
	t     *testing.T
	queue Queue
	store orderedStore
	out   strings.Builder
}

func newQueueTranscript(t *testing.T, d *datadriven.TestData) *queueTranscript {
	tr := &queueTranscript{t: t, store: orderedStore{}}
	var known KeyListerGetter
	var transform TransformFunc
	logger := funcr.New(func(_, args string) { fmt.Fprintf(&tr.out, "logged: %s\n", args) }, funcr.Options{})
	if d.HasArg("known") {
		known = tr.store
	}
	if d.HasArg("transform") {
		transform = tr.transform
	}
	switch d.CmdArgs[0].Key {
	case "delta":
		tr.queue = NewDeltaFIFOWithOptions(DeltaFIFOOptions{
			Logger: &logger, KeyFunction: queuedKey, KnownObjects: known, Transformer: transform, EmitDeltaTypeReplaced: d.HasArg("replaced"),
		})
	case "real":
		tr.queue = NewRealFIFOWithOptions(RealFIFOOptions{
			Logger: &logger, KeyFunction: queuedKey, KnownObjects: known, Transformer: transform,
			AtomicEvents: d.HasArg("atomic"), EmitDeltaTypeBookmark: d.HasArg("bookmarks"),
		})
	case "fifo":
		tr.queue = NewFIFO(queuedKey)
	default:
		require.Fail(t, "no such queue", d.CmdArgs[0].Key)
	}
	return tr
}

// queuedObject is an object that the tests queue.
type queuedObject struct {
	metav1.ObjectMeta
	transformed bool
}

var (
	errNoName  = errors.New("it has no name")
	errInvalid = errors.New("it is invalid")
)

func queuedKey(obj any) (string, error) {
	name := obj.(*queuedObject).Name
	if name == "bad" {
		return "", errNoName
	}
	return name, nil
}

func (tr *queueTranscript) transform(obj any) (any, error) {
	o := obj.(*queuedObject)
	fmt.Fprintf(&tr.out, "transform %s\n", showQueued(o))
	if o.Name == "invalid" {
		return nil, errInvalid
	}
	changed := *o
	changed.transformed = true
	return &changed, nil
}

// parseQueued reads KEY, KEY@VERSION or KEY@VERSION/UID.
func parseQueued(word string) *queuedObject {
	word, uid, _ := strings.Cut(word, "/")
	name, version, _ := strings.Cut(word, "@")
	return &queuedObject{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version, UID: types.UID(uid)}}
}

// orderedStore is a KeyListerGetter of another package that lists its keys in
// order.
type orderedStore map[string]any

func (s orderedStore) ListKeys() []string { return slices.Sorted(maps.Keys(s)) }

func (s orderedStore) GetByKey(key string) (any, bool, error) {
	obj, ok := s[key]
	if key == "locked" {
		return nil, false, errors.New("it cannot be read")
	}
	return obj, ok, nil
}

func (s orderedStore) apply(obj any) {
	deltas, ok := obj.(Deltas)
	if !ok {
		return
	}
	for _, d := range deltas {
		switch d.Type {
		case Added, Updated, Replaced, Sync:
			s[d.Object.(*queuedObject).Name] = d.Object
		case Deleted:
			if tombstone, ok := d.Object.(DeletedFinalStateUnknown); ok {
				delete(s, tombstone.Key)
			} else {
				delete(s, d.Object.(*queuedObject).Name)
			}
		}
	}
}

func (tr *queueTranscript) play(d *datadriven.TestData) {
	switch d.Cmd {
	case "pop":
		tr.pop(d)
	case "batch":
		tr.popBatch(d)
	case "replace":
		var list []any
		for _, word := range strings.Fields(d.Input) {
			list = append(list, parseQueued(word))
		}
		tr.writeError(tr.queue.Replace(list, d.CmdArgs[0].Key))
	default:
		var words []string
		for _, arg := range d.CmdArgs {
			words = append(words, arg.Key)
		}
		tr.write(d.Cmd, words...)
	}
}

func (tr *queueTranscript) write(command string, words ...string) {
	switch command {
	case "add":
		tr.writeError(tr.queue.Add(parseQueued(words[0])))
	case "update":
		tr.writeError(tr.queue.Update(parseQueued(words[0])))
	case "delete":
		tr.writeError(tr.queue.Delete(parseQueued(words[0])))
	case "tombstone":
		o := parseQueued(words[0])
		tr.writeError(tr.queue.Delete(DeletedFinalStateUnknown{Key: o.Name, Obj: o}))
	case "replace":
		var list []any
		for _, word := range words[1:] {
			list = append(list, parseQueued(word))
		}
		tr.writeError(tr.queue.Replace(list, words[0]))
	case "bookmark":
		tr.writeError(tr.queue.(ReflectorBookmarkStore).Bookmark(words[0]))
	case "resync":
		tr.writeError(tr.queue.Resync())
	case "close":
		tr.queue.Close()
	case "lock":
		tr.store["locked"] = parseQueued("locked@1")
	default:
		require.Fail(tr.t, "no such command", command)
	}
}

func (tr *queueTranscript) writeError(err error) {
	if err != nil {
		fmt.Fprintf(&tr.out, "error: %v\n", err)
	}
}

// during runs the commands that follow while an item is processed.
func (tr *queueTranscript) during(d *datadriven.TestData) error {
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		tr.write(words[0], words[1:]...)
	}
	if d.HasArg("fail") {
		return errors.New("the process function failed")
	}
	return nil
}

func (tr *queueTranscript) pop(d *datadriven.TestData) {
	if tr.wouldWait() {
		tr.out.WriteString("would wait\n")
		return
	}
	popped, err := tr.queue.Pop(func(obj any, isInInitialList bool) error {
		fmt.Fprintf(&tr.out, "%s initial=%v\n", showPopped(obj), isInInitialList)
		if err := tr.during(d); err != nil {
			return err
		}
		tr.store.apply(obj)
		return nil
	})
	if err != nil {
		fmt.Fprintf(&tr.out, "returned: %s, %v\n", showPopped(popped), err)
	}
}

func (tr *queueTranscript) popBatch(d *datadriven.TestData) {
	if tr.wouldWait() {
		tr.out.WriteString("would wait\n")
		return
	}
	tr.writeError(tr.queue.(QueueWithBatch).PopBatch(func(deltas []Delta, isInInitialList bool) error {
		fmt.Fprintf(&tr.out, "batch %s initial=%v\n", showPopped(Deltas(deltas)), isInInitialList)
		tr.store.apply(Deltas(deltas))
		return tr.during(d)
	}, func(obj any, isInInitialList bool) error {
		fmt.Fprintf(&tr.out, "single %s initial=%v\n", showPopped(obj), isInInitialList)
		tr.store.apply(obj)
		return tr.during(d)
	}))
}

func (tr *queueTranscript) wouldWait() bool {
	switch q := tr.queue.(type) {
	case *DeltaFIFO:
		return q.queue.Len() == 0 && !q.IsClosed()
	case *RealFIFO:
		return q.waiting() == 0 && !q.IsClosed()
	case *FIFO:
		return q.queue.Len() == 0 && !q.IsClosed()
	}
	return false
}

func (tr *queueTranscript) state() string {
	synced := tr.queue.HasSynced()
	require.Equal(tr.t, synced, closedNow(tr.queue.HasSyncedChecker().Done()))
	return fmt.Sprintf("synced=%v known=%v\n", synced, tr.store.ListKeys())
}

func closedNow(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func showPopped(obj any) string {
	deltas, ok := obj.(Deltas)
	if !ok {
		return showQueued(obj)
	}
	var words []string
	for _, d := range deltas {
		words = append(words, fmt.Sprintf("%s %s", d.Type, showQueued(d.Object)))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func showQueued(obj any) string {
	switch o := obj.(type) {
	case *queuedObject:
		word := o.Name
		if o.ResourceVersion != "" {
			word += "@" + o.ResourceVersion
		}
		if o.UID != "" {
			word += "/" + string(o.UID)
		}
		if o.transformed {
			word += "'"
		}
		return word
	case DeletedFinalStateUnknown:
		return fmt.Sprintf("(unknown %s: %s)", o.Key, showQueued(o.Obj))
	case ReplacedAllInfo:
		var words []string
		for _, obj := range o.Objects {
			words = append(words, showQueued(obj))
		}
		return fmt.Sprintf("%s{%s}", o.ResourceVersion, strings.Join(words, " "))
	case BookmarkInfo:
		return o.ResourceVersion
	default:
		return fmt.Sprintf("%v", obj)
	}
}
