package list

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"

	"github.com/thinformer/thinformer/rest"
)

// result is what a client has cost.
type result struct {
	// Wall is from the first call to the last object, CPU of the whole process
	// until then: user and system.
	Wall, CPU time.Duration
	// Peak is the largest resident set that the process has had, and Live what
	// remains of its heap with all objects held.
	Peak, Live int64
	// Digest of the objects.
	Digest string
}

// measured lists, and holds all objects, as a cache would.
func measured(ask request, list func(request) []*corev1.Pod) (r result) {
	began := time.Now()
	pods := list(ask)
	r.Wall = time.Since(began)
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	r.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	r.Peak = peak()
	runtime.GC()
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	r.Live = int64(heap.HeapAlloc)
	r.Digest = digest(pods)
	return r
}

// peak is the high-water mark of this process's resident set. Its own rusage
// would not do: that begins with the mark of the process that started it.
func peak() int64 {
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/status")))) {
		if mark, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mark), "kB")), 10, 64)) << 10
		}
	}
	panic("this system does not say how much memory a process has used")
}

// digest is over what both sides must have decoded alike.
func digest(pods []*corev1.Pod) string {
	hash := sha256.New()
	for _, pod := range pods {
		fmt.Fprintln(hash, pod.Namespace, pod.Name, pod.UID, pod.ResourceVersion, pod.Labels, pod.Spec.NodeName, string(must(json.Marshal(pod.Status))))
	}
	return fmt.Sprintf("%d %x", len(pods), hash.Sum(nil))
}

func listOurs(ask request) (kept []*corev1.Pod) {
	client := must(rest.New(&rest.Config{Host: ask.URL, Decode: rest.DecodeOptions{KeepManagedFields: ask.Whole}, AcceptContentTypes: string(ask.Encoding)}))
	defer client.Close()
	view := rest.NewView[*corev1.Pod](client, rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true})
	for pod, err := range must(view.List(context.Background(), ask.options())).Items() {
		kept = append(kept, must(pod, err))
	}
	return kept
}

// listTheirs does what client-go's reflector does without a watch list.
func listTheirs(ask request) (kept []*corev1.Pod) {
	config := &clientgo.Config{Host: ask.URL, QPS: -1}
	config.ContentType = string(ask.Encoding)
	view := must(corev1client.NewForConfig(config)).Pods("")
	lists := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (apiruntime.Object, error) {
		return view.List(context.Background(), options)
	}))
	list, _, err := lists.ListWithAlloc(context.Background(), ask.options())
	for _, pod := range must(apimeta.ExtractListWithAlloc(must(list, err))) {
		kept = append(kept, pod.(*corev1.Pod))
	}
	return kept
}

func (r request) options() metav1.ListOptions {
	if r.Paged {
		return metav1.ListOptions{}
	}
	return metav1.ListOptions{ResourceVersion: "0"}
}
