package kubeconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// file is one parsed kubeconfig. Its relative paths have been resolved.
type file struct {
	currentContext string
	contexts       map[string]*context
	clusters       map[string]*cluster
	users          map[string]*user
}

// context is an entry of contexts: a cluster, a user and a default namespace.
type context struct{ cluster, user, namespace string }

func (f *file) empty() bool {
	return f.currentContext == "" && len(f.contexts) == 0 && len(f.clusters) == 0 && len(f.users) == 0
}

// parse parses a kubeconfig. origin names it in error messages. dir is the directory
// for relative paths; "" leaves them unchanged.
func parse(data []byte, origin, dir string) (*file, error) {
	document, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, err)
	}
	var errs []error
	root := node{value: document, errs: &errs}.mapping()
	if checkTypeMeta(root); len(errs) > 0 {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, errs[0])
	}
	f := &file{currentContext: root.field("current-context").stringValue()}
	f.contexts = readEntries(root.field("contexts"), "context", func(n node) *context {
		return &context{n.field("cluster").stringValue(), n.field("user").stringValue(), n.field("namespace").stringValue()}
	})
	f.clusters = readEntries(root.field("clusters"), "cluster", func(n node) *cluster { return readCluster(n, origin, dir) })
	f.users = readEntries(root.field("users"), "user", func(n node) *user { return readUser(n, origin, dir) })
	if len(errs) > 0 {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, errors.Join(errs...))
	}
	return f, nil
}

// checkTypeMeta reports a document that is not a kubeconfig.
func checkTypeMeta(root node) {
	kind, version := root.field("kind"), root.field("apiVersion")
	if text := kind.stringValue(); text != "" && text != "Config" {
		kind.addError("want Config, found %q: this is not a kubeconfig", truncate(text))
	}
	if text := version.stringValue(); text != "" && text != "v1" {
		version.addError("want v1, found %q", truncate(text))
	}
}

// truncate shortens a value for use in an error message.
func truncate(text string) string {
	if len(text) > 64 {
		return text[:64] + "…"
	}
	return text
}

// readEntries reads a list of entries with a name and a field that holds their
// content.
func readEntries[E any](list node, field string, read func(node) *E) map[string]*E {
	entries := map[string]*E{}
	for item := range list.items() {
		item = item.mapping()
		name := item.field("name").stringValue()
		if entries[name] != nil {
			item.addError("duplicate name %q", truncate(name))
		}
		entries[name] = read(item.field(field).mapping())
	}
	return entries
}

// resolvePath resolves a path that is relative to the directory of the file.
func resolvePath(dir, path string) string {
	if path == "" || dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolveCommand resolves a command that is a path. The process looks up any other
// command in $PATH.
func resolveCommand(dir, command string) string {
	if !strings.ContainsRune(command, filepath.Separator) {
		return command
	}
	return resolvePath(dir, command)
}
