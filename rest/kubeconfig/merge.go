package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/rest"
)

// merge merges several files. For each name the entry of the first file wins as a
// whole.
func merge(files []*file) *file {
	all := &file{contexts: map[string]*context{}, clusters: map[string]*cluster{}, users: map[string]*user{}}
	for _, next := range files {
		all.currentContext = cmp.Or(all.currentContext, next.currentContext)
		addMissing(all.contexts, next.contexts)
		addMissing(all.clusters, next.clusters)
		addMissing(all.users, next.users)
	}
	return all
}

func addMissing[E any](all, source map[string]*E) {
	for name, entry := range source {
		if all[name] == nil {
			all[name] = entry
		}
	}
}

// newConfig returns the configuration of one context.
func (f *file) newConfig(options Options) (*Result, error) {
	loaded := &Result{Config: &rest.Config{}, Context: cmp.Or(options.Context, f.currentContext)}
	chosen := &context{}
	if loaded.Context != "" {
		if chosen = f.contexts[loaded.Context]; chosen == nil {
			return nil, fmt.Errorf("the context %q does not exist: %s", loaded.Context, knownNames("contexts", f.contexts))
		}
	}
	loaded.Cluster = cmp.Or(options.Cluster, chosen.cluster)
	loaded.User = cmp.Or(options.User, chosen.user)
	loaded.Namespace = cmp.Or(options.Namespace, chosen.namespace)
	if err := f.applyEntries(loaded, options); err != nil {
		if loaded.Context != "" {
			err = fmt.Errorf("context %q: %w", loaded.Context, err)
		}
		return nil, err
	}
	return loaded, nil
}

func (f *file) applyEntries(loaded *Result, options Options) error {
	target, err := f.selectCluster(loaded, options)
	if err != nil {
		return err
	}
	if err := target.apply(loaded.Config); err != nil {
		return fmt.Errorf("cluster %q%s: %w", loaded.Cluster, originSuffix(target.origin), err)
	}
	if loaded.User == "" {
		return nil
	}
	user := f.users[loaded.User]
	if user == nil {
		return fmt.Errorf("the user %q does not exist: %s", loaded.User, knownNames("users", f.users))
	}
	if err := user.apply(loaded.Config, target); err != nil {
		return fmt.Errorf("user %q%s: %w", loaded.User, originSuffix(user.origin), err)
	}
	return nil
}

// selectCluster returns the cluster, with the server of the options if it is set.
func (f *file) selectCluster(loaded *Result, options Options) (*cluster, error) {
	var target cluster
	switch entry := f.clusters[loaded.Cluster]; {
	case loaded.Cluster != "" && entry != nil:
		target = *entry
	case loaded.Cluster != "":
		return nil, fmt.Errorf("the cluster %q does not exist: %s", loaded.Cluster, knownNames("clusters", f.clusters))
	case options.Server != "":
	case loaded.Context != "":
		return nil, errors.New("the context has no cluster")
	default:
		return nil, fmt.Errorf("no context is selected: current-context is empty, and neither a context nor a cluster is given: %s", knownNames("contexts", f.contexts))
	}
	if options.Server != "" {
		target.server, target.tlsServerName = options.Server, ""
	}
	return &target, nil
}

// originSuffix returns the file of an entry for an error message, or "" if there is none.
func originSuffix(origin string) string {
	if origin == "" || origin == bytesOrigin {
		return ""
	}
	return " of " + origin
}

// knownNames lists the names of the existing entries for an error message.
func knownNames[E any](what string, entries map[string]*E) string {
	names := slices.Sorted(maps.Keys(entries))
	if len(names) == 0 {
		return "there are no " + what
	}
	const maxNames = 10
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
		names = names[:maxNames]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", truncate(name))
	}
	return "known " + what + ": " + strings.Join(names, ", ") + more
}
