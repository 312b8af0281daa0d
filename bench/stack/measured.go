package stack

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/rest"
)

// informer is a running informer of one side, with a handler.
type informer interface {
	// Sync waits until the store and the handler have the initial state.
	Sync()
	// Each calls visit for each stored object.
	Each(visit func(object any))
}

// calls has the callbacks of an informer's handler.
type calls struct {
	added   func()
	updated func(object any)
}

// opener starts an informer, which runs until the process ends.
type opener func(question, calls) informer

// Roles returns the roles of the child processes of these cases.
func Roles() map[string]process.Role {
	roles := map[string]process.Role{}
	for name, open := range sides {
		roles["stack/"+name] = process.Answering(func(q question) answer { return measured(q, open) })
	}
	return roles
}

// tally counts callbacks. It closes reached after the awaited number of updates, or
// after the update to the awaited version.
type tally struct {
	added, updated, awaited atomic.Int64
	last                    atomic.Pointer[string]
	reached                 chan struct{}
}

func (t *tally) calls() calls {
	return calls{
		added: func() { t.added.Add(1) },
		updated: func(object any) {
			if t.updated.Add(1) == t.awaited.Load() {
				close(t.reached)
			}
			if last := t.last.Load(); last != nil && *last == object.(rest.Object).GetResourceVersion() {
				close(t.reached)
			}
		},
	}
}

func measured(q question, open opener) (a answer) {
	control(q, "reset")
	before := process.Live()
	watch := startWatch()
	t := &tally{reached: make(chan struct{})}
	informer := open(q, t.calls())
	informer.Sync()
	a.Sync = watch.stop()
	a.Peak = process.Peak()
	time.Sleep(100 * time.Millisecond) // other goroutines may still work when the handler has synced
	a.Live = process.Live() - before
	if q.Events > 0 {
		t.awaited.Store(int64(q.Events))
		measureEvents(&a, q, t)
	}
	if q.Relist {
		a.Relist = relist(q, informer, t)
	}
	a.Added, a.Updated = t.added.Load(), t.updated.Load()
	a.Digest = digest(informer)
	runtime.KeepAlive(informer)
	return a
}

func measureEvents(a *answer, q question, t *tally) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	watch := startWatch()
	control(q, fmt.Sprint("send?events=", q.Events))
	<-t.reached
	a.Events = watch.stop()
	runtime.ReadMemStats(&after)
	a.Allocs, a.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
}

// control sends a control request to the server. It applies to the open watch, or to
// the next one.
func control(q question, what string) {
	answer := must(http.Get(q.URL + "/control/" + what))
	_, err := io.Copy(io.Discard, answer.Body)
	check(err)
	check(answer.Body.Close())
}

// digest covers the fields that both sides must store equally, in any order.
func digest(all informer) string {
	var lines []string
	all.Each(func(object any) { lines = append(lines, describe(object)) })
	slices.Sort(lines)
	return fmt.Sprintf("%d %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n"))))
}

func describe(object any) string {
	switch pod := object.(type) {
	case *corev1.Pod:
		return fmt.Sprintln(pod.Namespace, pod.Name, pod.UID, pod.ResourceVersion, pod.Labels, pod.Spec.NodeName, string(must(json.Marshal(pod.Status))))
	case *unstructured.Unstructured:
		return fmt.Sprintln(pod.GetNamespace(), pod.GetName(), pod.GetUID(), pod.GetResourceVersion(), pod.GetLabels(), string(must(json.Marshal(pod.Object["status"]))))
	}
	return string(must(json.Marshal(object)))
}
