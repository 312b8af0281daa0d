package standin

// Module is the project's import path.
const Module = "github.com/thinformer/thinformer"

// Paths of client-go's packages that the tool treats specially, and of their replacements.
const (
	ClientCache     = "k8s.io/client-go/tools/cache"
	ClientQueue     = "k8s.io/client-go/util/workqueue"
	ClientInformers = "k8s.io/client-go/informers"
	Cache           = Module + "/cache"
	Queue           = Module + "/workqueue"
	Interop         = Module + "/interop"
	Informers       = Interop + "/informers"
	Factory         = Interop + "/factory"
)

// A Pair is a package of client-go and the package that replaces it. Both have the same
// package name.
type Pair struct{ Theirs, Ours string }

// Pairs lists the replacements in the order in which a report names them.
var Pairs = []Pair{
	{ClientCache, Cache},
	{ClientQueue, Queue},
	{ClientInformers, Informers},
	{"k8s.io/client-go/dynamic/dynamicinformer", Interop + "/dynamicinformer"},
	{"k8s.io/client-go/metadata/metadatainformer", Interop + "/metadatainformer"},
	{"k8s.io/client-go/tools/cache/testing", Cache + "/testing"},
	{"k8s.io/client-go/tools/cache/synctrack", Cache + "/synctrack"},
	{"k8s.io/client-go/tools/watch", Cache + "/watch"},
	{"k8s.io/client-go/tools/pager", Cache + "/pager"},
	{"k8s.io/client-go/util/retry", Cache + "/retry"},
	{"k8s.io/client-go/dynamic/dynamiclister", Cache + "/dynamiclister"},
	{"k8s.io/client-go/metadata/metadatalister", Cache + "/metadatalister"},
}

// Replacement returns the path of the package that replaces a package of client-go, and ""
// if there is none.
func Replacement(theirs string) string {
	for _, p := range Pairs {
		if p.Theirs == theirs && Has(p.Ours) {
			return p.Ours
		}
	}
	return ""
}

// Original returns the path of the package of client-go that a package replaces, and "" for
// other packages.
func Original(ours string) string {
	for _, p := range Pairs {
		if p.Ours == ours {
			return p.Theirs
		}
	}
	return ""
}
