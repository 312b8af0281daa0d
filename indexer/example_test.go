package indexer_test

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/indexer"
)

// Pod has metadata and the only field that the examples need.
type Pod struct {
	metav1.ObjectMeta
	Node string
}

func pod(namespace, name, node string) *Pod {
	return &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": "web"}}, Node: node}
}

func ExampleIndexer() {
	pods := indexer.New(indexer.Options[*Pod]{})
	byNode, err := pods.AddIndex("node", func(p *Pod) []string { return []string{p.Node} })
	if err != nil {
		fmt.Println(err)
	}
	_ = pods.Add(pod("default", "web-0", "worker-1"))
	_ = pods.Add(pod("default", "web-1", "worker-2"))
	_ = pods.Update(pod("default", "web-1", "worker-1"))

	for p := range byNode.Find("worker-1") {
		fmt.Println(p.Name)
	}
	fmt.Println(byNode.Count("worker-2"), "on worker-2")
	// Unordered output:
	// web-0
	// web-1
	// 0 on worker-2
}

func ExampleIndexer_Apply() {
	pods := indexer.New(indexer.Options[*Pod]{})
	_ = pods.Add(pod("default", "web-0", "worker-1"))

	changes := []indexer.Change[*Pod]{
		{Object: pod("default", "web-0", "worker-2")},
		{Object: pod("default", "web-1", "worker-2")},
		{Key: "default/web-9", Delete: true},
	}
	_ = pods.Apply(changes, "1042")
	for _, c := range changes {
		fmt.Println(c.Key, "existed:", c.Existed)
	}
	fmt.Println(pods.Len(), "pods at", pods.Version())
	// Output:
	// default/web-0 existed: true
	// default/web-1 existed: false
	// default/web-9 existed: false
	// 2 pods at 1042
}

func ExampleIndexer_Replace() {
	pods := indexer.New(indexer.Options[*Pod]{
		MetaFunc: func(p *Pod) (types.UID, string) { return p.UID, p.ResourceVersion },
	})
	_ = pods.Add(pod("default", "gone", "worker-1"))
	relist := func(yield func(*Pod, error) bool) {
		_ = yield(pod("default", "web-0", "worker-1"), nil) && yield(pod("default", "web-1", "worker-1"), nil)
	}
	_ = pods.Replace(relist, func() string { return "2000" })
	fmt.Println(slices.Sorted(pods.Keys()), pods.Version())
	// Output: [default/web-0 default/web-1] 2000
}

func ExampleReader() {
	pods := indexer.New(indexer.Options[*Pod]{})
	var readOnly indexer.Reader[*Pod] = pods.Reader // has no Add

	before := readOnly.Snapshot()
	_ = pods.Add(pod("default", "web-0", "worker-1"))
	fmt.Println(before.Len(), readOnly.Len())
	// Output: 0 1
}

func ExampleSnapshot() {
	pods := indexer.New(indexer.Options[*Pod]{})
	byNode, _ := pods.AddIndex("node", func(p *Pod) []string { return []string{p.Node} })
	_ = pods.Add(pod("default", "web-0", "worker-1"))

	now := pods.Snapshot()
	_ = pods.Update(pod("default", "web-0", "worker-2"))

	web, _ := now.Get("default/web-0")
	fmt.Println(web.Node, now.Count(byNode, "worker-1"), byNode.Count("worker-1"))
	// Output: worker-1 1 0
}

func ExampleLister() {
	pods := indexer.New(indexer.Options[*Pod]{})
	_, _ = pods.AddIndex(indexer.NamespaceIndex, indexer.MetaNamespaceIndexFunc)
	_, _ = pods.AddLabelIndex("app") // selectors on app read only the matching objects
	_ = pods.Add(pod("default", "web-0", "worker-1"))
	_ = pods.Add(pod("kube-system", "dns", "worker-1"))

	lister := indexer.NewLister(pods.Reader, schema.GroupResource{Resource: "pods"})
	for p := range lister.Namespace("default").List(labels.SelectorFromSet(labels.Set{"app": "web"})) {
		fmt.Println(p.Name)
	}
	_, err := lister.Namespace("default").Get("dns")
	fmt.Println(err, apierrors.IsNotFound(err))
	// Output:
	// web-0
	// pods "dns" not found true
}

func ExampleMetaNamespaceKeyFunc() {
	key, _ := indexer.MetaNamespaceKeyFunc(pod("default", "web-0", ""))
	namespace, name, _ := indexer.SplitMetaNamespaceKey(key)
	fmt.Println(key, namespace, name)

	_, err := indexer.MetaNamespaceKeyFunc(42)
	fmt.Println(err)
	// Output:
	// default/web-0 default web-0
	// the object has no metadata: int
}
