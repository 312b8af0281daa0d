package kubeconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/rest"
)

// merge makes one of several: of each name the entry of the first file that
// has it, whole.
func merge(files []*file) *file {
	all := &file{contexts: map[string]*context{}, clusters: map[string]*cluster{}, users: map[string]*user{}}
	for _, one := range files {
		all.current = cmp.Or(all.current, one.current)
		addMissing(all.contexts, one.contexts)
		addMissing(all.clusters, one.clusters)
		addMissing(all.users, one.users)
	}
	return all
}

func addMissing[E any](all, more map[string]*E) {
	for name, entry := range more {
		if all[name] == nil {
			all[name] = entry
		}
	}
}

// use makes a config of one context.
func (f *file) use(options Options) (*Loaded, error) {
	loaded := &Loaded{Config: &rest.Config{}, Context: cmp.Or(options.Context, f.current)}
	chosen := &context{}
	if loaded.Context != "" {
		if chosen = f.contexts[loaded.Context]; chosen == nil {
			return nil, fmt.Errorf("the context %q does not exist: %s", loaded.Context, listed("contexts", f.contexts))
		}
	}
	loaded.Cluster = cmp.Or(options.Cluster, chosen.cluster)
	loaded.User = cmp.Or(options.User, chosen.user)
	loaded.Namespace = cmp.Or(options.Namespace, chosen.namespace)
	if err := f.useEntries(loaded, options); err != nil {
		if loaded.Context != "" {
			err = fmt.Errorf("context %q: %w", loaded.Context, err)
		}
		return nil, err
	}
	return loaded, nil
}

func (f *file) useEntries(loaded *Loaded, options Options) error {
	onto, err := f.server(loaded, options)
	if err != nil {
		return err
	}
	if err := onto.apply(loaded.Config); err != nil {
		return fmt.Errorf("cluster %q%s: %w", loaded.Cluster, from(onto.origin), err)
	}
	if loaded.User == "" {
		return nil
	}
	as := f.users[loaded.User]
	if as == nil {
		return fmt.Errorf("the user %q does not exist: %s", loaded.User, listed("users", f.users))
	}
	if err := as.apply(loaded.Config, onto); err != nil {
		return fmt.Errorf("user %q%s: %w", loaded.User, from(as.origin), err)
	}
	return nil
}

// server is the cluster, at the address that the options say.
func (f *file) server(loaded *Loaded, options Options) (*cluster, error) {
	var onto cluster
	switch entry := f.clusters[loaded.Cluster]; {
	case loaded.Cluster != "" && entry != nil:
		onto = *entry
	case loaded.Cluster != "":
		return nil, fmt.Errorf("the cluster %q does not exist: %s", loaded.Cluster, listed("clusters", f.clusters))
	case options.Server != "":
	case loaded.Context != "":
		return nil, fmt.Errorf("it names no cluster")
	default:
		return nil, fmt.Errorf("there is no current-context, and neither a context nor a cluster is asked for: %s", listed("contexts", f.contexts))
	}
	if options.Server != "" {
		onto.server, onto.tlsServerName = options.Server, ""
	}
	return &onto, nil
}

// from says where an entry stands, if there is more than one place for it.
func from(origin string) string {
	if origin == "" || origin == fromBytes {
		return ""
	}
	return " of " + origin
}

// listed says which names there would have been.
func listed[E any](what string, entries map[string]*E) string {
	names := slices.Sorted(maps.Keys(entries))
	if len(names) == 0 {
		return "there are no " + what
	}
	const most = 10
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", cut(name))
	}
	return "known " + what + ": " + strings.Join(names, ", ") + more
}
