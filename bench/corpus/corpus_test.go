package corpus

import (
	"testing"
	"unsafe"
)

func TestObjectsAreEvenlyDistributed(t *testing.T) {
	perNamespace, perNode, perApp := map[string]int{}, map[string]int{}, map[string]int{}
	keys := map[string]bool{}
	for _, o := range Objects() {
		perNamespace[o.Namespace]++
		perNode[o.Node]++
		perApp[o.Labels["app"]]++
		keys[o.Namespace+"/"+o.Name] = true
	}
	for name, counts := range map[string]map[string]int{"namespace": perNamespace, "node": perNode, "app": perApp} {
		for value, count := range counts {
			if count != Count/len(counts) {
				t.Errorf("%s %s has %d objects of %d", name, value, count, Count/len(counts))
			}
		}
	}
	if len(perNamespace) != Namespaces || len(perNode) != Nodes || len(perApp) != Apps || len(keys) != Count {
		t.Errorf("%d namespaces, %d nodes, %d apps, %d keys", len(perNamespace), len(perNode), len(perApp), len(keys))
	}
}

func TestObjectHasAbout400Bytes(t *testing.T) {
	if size := unsafe.Sizeof(Object{}); size < 350 || size > 450 {
		t.Errorf("an object takes %d bytes", size)
	}
}

func TestNewerKeepsIdentityAndRaisesTheVersion(t *testing.T) {
	old := Objects()[0]
	newer := old.Newer()
	if newer.Name != old.Name || newer.UID != old.UID || newer.ResourceVersion <= old.ResourceVersion {
		t.Errorf("%+v became %+v", old.ObjectMeta, newer.ObjectMeta)
	}
}
