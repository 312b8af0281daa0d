package reads

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/rest"
)

const (
	// written is the number of objects that are written once each.
	written = 100
	// markField is the key that a reconcile sets in the data of its object.
	markField = "mark"
	// settling is the time without a reconcile after which there will be no further one.
	settling = 500 * time.Millisecond
)

// A tally counts the reconciles of one round.
type tally struct {
	reconciles, stale, marked atomic.Int64
	// writing is the duration of the reconciles that write, in nanoseconds.
	writing atomic.Int64
}

// wrote counts a reconcile that began at a time, wrote a version, and then read one.
func (t *tally) wrote(began time.Time, version, read string) {
	if read != version {
		t.stale.Add(1)
	}
	t.writing.Add(int64(time.Since(began)))
	t.marked.Add(1)
}

// wait waits until all objects are written, and until no reconcile follows.
func (t *tally) wait() {
	deadline := time.Now().Add(time.Minute)
	before := int64(-1)
	for now := t.reconciles.Load(); t.marked.Load() < written || now != before; now = t.reconciles.Load() {
		if time.Now().After(deadline) {
			panic(fmt.Sprintf("%d of %d objects are written after a minute", t.marked.Load(), written))
		}
		before = now
		time.Sleep(settling)
	}
}

// A writer is a running controller that writes each ConfigMap of a namespace once.
type writer interface{ stop() }

// openWriter starts a writer.
type openWriter func(at apiserver.Address, namespace string, t *tally) writer

// rounds numbers the namespaces of the rounds of both sides.
var rounds atomic.Int64

// ownWrites returns a side whose reconciles read an object, write it unless it has been
// written, and read it again.
func ownWrites(open openWriter) harness.Side {
	return func(m *harness.Meter) {
		at := apiserver.Serve(apiserver.Config{})
		namespace := fmt.Sprintf("round-%d", rounds.Add(1))
		createObjects(at, namespace)
		t := new(tally)
		w := open(at, namespace, t)
		defer w.stop()
		t.wait()
		m.Report("", float64(t.reconciles.Load()))
		m.ReportIn("reads", "stale", float64(t.stale.Load()))
		m.ReportIn("us/op", "reconcile", float64(t.writing.Load())/written/1e3)
	}
}

func createObjects(at apiserver.Address, namespace string) {
	client := must(rest.New(at.Ours()))
	defer client.Close()
	ctx := context.Background()
	_, err := rest.NewResource[*corev1.Namespace](client, namespacesInfo).Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	check(err)
	objects := rest.NewResource[*corev1.ConfigMap](client, configMapsInfo).Namespace(namespace)
	for i := range written {
		_, err := objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("object-%03d", i)}}, metav1.CreateOptions{})
		check(err)
	}
}
