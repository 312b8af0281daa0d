package indexer

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The index of most checks: the nodes of an object, separated by commas.
const byNode = "byNode"

func nodesOf(object stack.Object) []string {
	if object.Data["nodes"] == "" {
		return nil
	}
	return strings.Split(object.Data["nodes"], ",")
}

// object returns an object, such as shop/a at version 1 on node-1 and node-2.
func object(key, version, nodes string) stack.Object {
	namespace, name, _ := strings.Cut(key, "/")
	return &stack.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: version},
		Data:       map[string]string{"nodes": nodes},
	}
}

// text returns, for example, "shop/a@1 shop/b@2".
func text(objects []stack.Object) string {
	if len(objects) == 0 {
		return "nothing"
	}
	texts := make([]string, len(objects))
	for i, object := range objects {
		if texts[i] = "nil"; object != nil {
			texts[i] = stack.Key(object) + "@" + object.ResourceVersion
		}
	}
	return strings.Join(texts, " ")
}

// short returns the beginning of a text of many objects.
func short(text string) string {
	objects := strings.Fields(text)
	if len(objects) <= 8 {
		return text
	}
	return fmt.Sprintf("%s ... (%d objects)", strings.Join(objects[:8], " "), len(objects))
}

// cache is an indexer under test.
type cache struct {
	stack.Indexer
	t *judge.T
}

func newCache(t *judge.T, parts stack.Parts, objects ...stack.Object) *cache {
	x := parts.NewIndexer()
	if x == nil {
		t.Fatalf("NewIndexer returns nil")
	}
	c := &cache{x, t}
	if len(objects) > 0 {
		c.apply(objects)
	}
	return c
}

func (c *cache) apply(set []stack.Object, remove ...string) {
	c.t.Unblocked("Apply", func() { c.Apply(set, remove) })
}

func (c *cache) addIndex(name string, values func(stack.Object) []string) {
	c.t.Unblocked("AddIndex", func() {
		if err := c.AddIndex(name, values); err != nil {
			c.t.Errorf("AddIndex of %q returns the error %v", name, err)
		}
	})
}

// has fails unless ByIndex returns these objects.
func (c *cache) has(after, index, value, want string) {
	c.t.Unblocked("ByIndex", func() {
		objects, err := c.ByIndex(index, value)
		if err != nil {
			c.t.Errorf("after %s, ByIndex(%q, %q) returns the error %v", after, index, value, err)
		} else if got := text(objects); got != want {
			c.t.Errorf("after %s, ByIndex(%q, %q) returns\n%s\nwant %s", after, index, value, short(got), short(want))
		}
	})
}

// lists fails unless List returns these objects, in any order.
func (c *cache) lists(after, want string) {
	c.t.Unblocked("List", func() {
		objects := slices.Clone(c.List())
		slices.SortStableFunc(objects, func(a, b stack.Object) int {
			if a == nil || b == nil {
				return 0
			}
			return strings.Compare(stack.Key(a), stack.Key(b))
		})
		if got := text(objects); got != want {
			c.t.Errorf("after %s, List returns\n%s\nwant %s, in any order", after, short(got), short(want))
		}
	})
}

// gets fails unless Get returns the object at a version, "" for none.
func (c *cache) gets(after, key, version string) {
	c.t.Unblocked("Get", func() {
		got, found := c.Get(key)
		switch {
		case found != (got != nil):
			c.t.Errorf("after %s, Get(%q) returns the object %v with %v", after, key, got, found)
		case found && version == "":
			c.t.Errorf("after %s, Get(%q) returns %s; want nil and false", after, key, text([]stack.Object{got}))
		case !found && version != "":
			c.t.Errorf("after %s, Get(%q) returns false; want version %s", after, key, version)
		case found && (stack.Key(got) != key || got.ResourceVersion != version):
			c.t.Errorf("after %s, Get(%q) returns %s; want version %s", after, key, text([]stack.Object{got}), version)
		}
	})
}
