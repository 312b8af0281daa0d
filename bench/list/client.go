package list

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"

	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/wire"
	"github.com/thinformer/thinformer/rest"
)

// result has the costs of a client.
type result struct {
	// Wall is the time from the first call to the last object. CPU is the user and
	// system time of the process until then.
	Wall, CPU time.Duration
	// Peak is the largest resident set of the process. Live is its live heap while it
	// holds all objects.
	Peak, Live int64
	// Digest is a digest of the objects.
	Digest string
}

// request describes the list that a process requests.
type request struct {
	URL      string
	Encoding wire.Encoding
	// Paged is set to request pages, and not everything in one response.
	Paged bool
	// Whole is set to keep the managed fields on our side too.
	Whole bool
}

// Roles returns the roles of the child processes of these cases.
func Roles() map[string]process.Role {
	return map[string]process.Role{
		"list/ours":   process.Answering(func(ask request) result { return measured(ask, listOurs) }),
		"list/theirs": process.Answering(func(ask request) result { return measured(ask, listTheirs) }),
	}
}

// measured runs list and holds all objects, as a cache does.
func measured(ask request, list func(request) []*corev1.Pod) (r result) {
	began := time.Now()
	pods := list(ask)
	r.Wall, r.CPU, r.Peak = time.Since(began), process.CPU(), process.Peak()
	r.Live = process.Live()
	r.Digest = digest(pods)
	return r
}

// digest covers the fields that both sides must decode equally.
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

// listTheirs lists like client-go's reflector without a streamed initial state.
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

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
