package differences

import (
	"go/types"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// runtimePath is the package whose variables decide what a panic does. They concern this
// project only in a package that creates informers, handlers or queues.
const runtimePath = "k8s.io/apimachinery/pkg/util/runtime"

// handles reports whether a package names what creates informers, handlers or queues.
func handles(info *types.Info) bool {
	for _, object := range info.Uses {
		if object.Pkg() == nil {
			continue
		}
		path, name := object.Pkg().Path(), object.Name()
		switch {
		case path == standin.ClientCache || path == standin.Cache:
			if strings.Contains(name, "EventHandler") || strings.HasPrefix(name, "New") && (strings.Contains(name, "Informer") || strings.Contains(name, "Reflector")) {
				return true
			}
		case path == standin.ClientQueue || path == standin.Queue:
			if strings.HasPrefix(name, "New") || name == "ParallelizeUntil" {
				return true
			}
		case strings.HasPrefix(name, "New") && strings.Contains(name, "Informer") && (strings.HasPrefix(path, "k8s.io/client-go/") || strings.HasPrefix(path, standin.Module+"/")):
			return true
		}
	}
	return false
}

// periodRows are the rows of a handler with a resync period of its own.
var periodRows = []string{"same-version", "resync-period"}

// byName has the rows of names of tools/cache: functions, types, and methods and fields of
// its types.
var byName = map[string][]string{
	"DeletedFinalStateUnknown":                          {"new-uid"},
	"FilteringResourceEventHandler":                     {"filter-delete"},
	"TypedResourceEventHandlerFuncs":                    {"typed-handler"},
	"TypedResourceEventHandlerDetailedFuncs":            {"typed-handler"},
	"AddEventHandlerWithResyncPeriod":                   periodRows,
	"NewInformer":                                       {"informer-goroutine", "informer-panic"},
	"NewIndexerInformer":                                {"informer-goroutine", "informer-panic"},
	"NewTransformingInformer":                           {"informer-goroutine", "informer-panic"},
	"NewTransformingIndexerInformer":                    {"informer-goroutine", "informer-panic"},
	"NewInformerWithOptions":                            {"informer-goroutine", "informer-panic"},
	"New":                                               {"process-error", "controller-queue-closed"},
	"SetTransform":                                      {"transform-twice", "transform-error"},
	"ListAndWatch":                                      {"list-and-watch"},
	"ListAndWatchWithContext":                           {"list-and-watch"},
	"MaxInternalErrorRetryDuration":                     {"max-internal-error-retry"},
	"NewReflector":                                      {"reflector-name"},
	"LastStoreSyncResourceVersion":                      {"store-version"},
	"Transaction":                                       {"transaction-transform", "transaction-type"},
	"KeyError":                                          {"key-error"},
	"NewGenericLister":                                  {"lister-type", "no-namespace"},
	"NewIntegerResourceVersionMutationCache":            {"version-no-number", "mutation-cache-adds", "mutation-cache-moved"},
	"NewIntegerResourceVersionMutationCacheWithOptions": {"version-no-number", "mutation-cache-adds", "mutation-cache-moved"},
	"NewTTLStore":                                       {"expired-keys", "expired-version"},
	"NewExpirationStore":                                {"expired-keys", "expired-version"},
	"NewDeltaFIFO":                                      {"queue-list", "queue-lock", "queue-closed", "queue-synced"},
	"NewDeltaFIFOWithOptions":                           {"queue-list", "queue-lock", "queue-closed", "queue-synced"},
	"NewFIFO":                                           {"fifo-order", "queue-lock", "queue-closed"},
	"BulkAdd":                                           {"heap-bulk"},
	"Getter":                                            {"getter-type"},
	"NewCacheMutationDetector":                          {"environment"},
}

// inQueue has the rows of names of util/workqueue.
var inQueue = map[string][]string{
	"AddAfter":          {"add-after"},
	"ShutDownWithDrain": {"drain-line", "drain-several", "drain-idle"},
	"SetProvider":       {"metrics-lock"},
	"ParallelizeUntil":  {"no-workers"},
}

// inRuntime has the rows of names of apimachinery's util/runtime: what a panic does.
var inRuntime = map[string][]string{
	"ReallyCrash":   {"handler-panic"},
	"PanicHandlers": {"handler-panic"},
}

// beside has the rows of names of the packages beside tools/cache, by path.
var beside = map[string]map[string][]string{
	"k8s.io/client-go/tools/cache/testing": {
		"NewFakeControllerSource":    {"fake-source-gap", "fake-source-copies", "fake-source-order", "fake-source-shutdown"},
		"NewFakePVControllerSource":  {"fake-source-error"},
		"NewFakePVCControllerSource": {"fake-source-error"},
	},
	"k8s.io/client-go/tools/watch": {
		"NewRetryWatcher":                      {"retry-watcher-expired", "retry-watcher-after", "retry-watcher-wrapped", "retry-watcher-text"},
		"NewRetryWatcherWithContext":           {"retry-watcher-expired", "retry-watcher-after", "retry-watcher-wrapped", "retry-watcher-text"},
		"Until":                                {"until-cause"},
		"UntilWithoutRetry":                    {"until-cause"},
		"UntilWithSync":                        {"until-cause", "until-reason"},
		"NewIndexerInformerWatcher":            {"watcher-closes"},
		"NewIndexerInformerWatcherWithContext": {"watcher-closes"},
		"NewIndexerInformerWatcherWithLogger":  {"watcher-closes"},
	},
	"k8s.io/client-go/tools/pager": {
		"EachListItem": {"pager-version", "pager-panic"},
	},
	standin.ClientInformers: {
		"WithTransform": {"transform-twice", "transform-error"},
	},
	"k8s.io/client-go/dynamic/dynamiclister": {
		"NewRuntimeObjectShim": {"lister-nil"},
	},
	"k8s.io/client-go/metadata/metadatalister": {
		"NewRuntimeObjectShim": {"lister-nil"},
	},
	"k8s.io/client-go/util/retry": {
		"OnError": {"retry-last-error"},
	},
}

// rowsOf returns the rows of a name of a package.
func rowsOf(path, name string) []string {
	if theirs := standin.Original(path); theirs != "" {
		path = theirs
	}
	switch path {
	case standin.ClientCache:
		return byName[name]
	case standin.ClientQueue:
		return inQueue[name]
	case runtimePath:
		return inRuntime[name]
	}
	return beside[path][name]
}
