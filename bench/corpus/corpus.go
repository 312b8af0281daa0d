// Package corpus has the objects that the cases use. They have the size of a slim pod,
// and are spread over namespaces, nodes and apps.
package corpus

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The number of objects, and the numbers of values over which they are evenly
// distributed: a namespace has 200 objects, a node 2,000, an app 100.
const (
	Count      = 100_000
	Namespaces = 500
	Nodes      = 50
	Apps       = 1_000
)

// Object takes about 400 bytes without its strings and labels.
type Object struct {
	metav1.ObjectMeta
	Node, Phase, PodIP, Image string
	Restarts                  int64
	Requests                  [8]int64
}

// Objects returns all objects in a random order, which is the same in each run. All
// cases share the objects and do not change them.
var Objects = sync.OnceValue(func() []*Object {
	random := rand.New(rand.NewPCG(1, 2))
	objects := make([]*Object, Count)
	for i := range objects {
		objects[i] = newObject(i, random)
	}
	random.Shuffle(Count, func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	return objects
})

// The objects share these strings, as they do after decoding with interned strings.
var (
	namespaces = names("team", Namespaces)
	nodes      = names("node", Nodes)
	apps       = names("app", Apps)
)

func names(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%03d", prefix, i)
	}
	return names
}

func newObject(i int, random *rand.Rand) *Object {
	app := apps[i%Apps]
	return &Object{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       namespaces[i%Namespaces],
			Name:            fmt.Sprintf("%s-%08x-%05d", app, random.Uint32(), i),
			UID:             types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", random.Uint32(), i)),
			ResourceVersion: nextVersion(),
			Labels:          map[string]string{"app": app, "tier": "backend"},
		},
		Node:  nodes[i/Apps%Nodes],
		Phase: "Running",
		PodIP: fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255),
		Image: "registry.example/" + app + ":1.0",
	}
}

var version atomic.Int64

func nextVersion() string { return strconv.FormatInt(1_000_000+version.Add(1), 10) }

// Newer returns a copy of the object with a higher resource version, as after an
// update. The values in the indexes do not change.
func (o *Object) Newer() *Object {
	newer := *o
	newer.ResourceVersion = nextVersion()
	newer.Restarts++
	return &newer
}

// Fresh returns a newer copy of each object, as if it had just been decoded: it shares
// no memory with the original except the values in the indexes, which are interned
// strings.
func Fresh(objects []*Object) []*Object {
	fresh := make([]*Object, len(objects))
	for i, o := range objects {
		fresh[i] = o.Newer()
		fresh[i].Name, fresh[i].UID = strings.Clone(o.Name), types.UID(strings.Clone(string(o.UID)))
		fresh[i].Labels = maps.Clone(o.Labels)
	}
	return fresh
}

// Shuffled returns all objects in another order.
var Shuffled = sync.OnceValue(func() []*Object {
	all := slices.Clone(Objects())
	rand.New(rand.NewPCG(3, 4)).Shuffle(Count, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
})

// AllNewer returns a newer copy of each object, in the order of Shuffled.
func AllNewer() []*Object {
	all := make([]*Object, Count)
	for i, o := range Shuffled() {
		all[i] = o.Newer()
	}
	return all
}

// Keys returns the keys of all objects in a random order. Like keys from a workqueue,
// they share no memory with the objects.
var Keys = sync.OnceValue(func() []string {
	keys := make([]string, Count)
	for i, o := range Objects() {
		keys[i] = o.Namespace + "/" + o.Name
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(Count, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
})

// NamespaceNames returns the names of the namespaces in a random order. They share no
// memory with the objects.
func NamespaceNames() []string { return shuffledClones(namespaces) }

// NodeNames returns the names of the nodes in the same way.
func NodeNames() []string { return shuffledClones(nodes) }

func shuffledClones(names []string) []string {
	clones := slices.Clone(names)
	for i := range clones {
		clones[i] = strings.Clone(clones[i])
	}
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(clones), func(i, j int) { clones[i], clones[j] = clones[j], clones[i] })
	return clones
}
