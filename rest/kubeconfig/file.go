package kubeconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// file is one kubeconfig as it is written, but for relative paths, which have
// been resolved.
type file struct {
	current  string
	contexts map[string]*context
	clusters map[string]*cluster
	users    map[string]*user
}

// context is a cluster, a user of it, and a namespace to begin in.
type context struct{ cluster, user, namespace string }

func (f *file) empty() bool {
	return f.current == "" && len(f.contexts) == 0 && len(f.clusters) == 0 && len(f.users) == 0
}

// parse reads a kubeconfig. origin names it in errors; folder is what its
// relative paths are relative to, "" leaves them as they are.
func parse(data []byte, origin, folder string) (*file, error) {
	document, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, err)
	}
	var wrong []error
	root := node{value: document, wrong: &wrong}.fields()
	if checkKind(root); len(wrong) > 0 {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, wrong[0])
	}
	f := &file{current: root.at("current-context").text()}
	f.contexts = named(root.at("contexts"), "context", func(n node) *context {
		return &context{n.at("cluster").text(), n.at("user").text(), n.at("namespace").text()}
	})
	f.clusters = named(root.at("clusters"), "cluster", func(n node) *cluster { return readCluster(n, origin, folder) })
	f.users = named(root.at("users"), "user", func(n node) *user { return readUser(n, origin, folder) })
	if len(wrong) > 0 {
		return nil, fmt.Errorf("parse the kubeconfig %s: %w", origin, errors.Join(wrong...))
	}
	return f, nil
}

// checkKind finds those who have given some other file.
func checkKind(root node) {
	kind, version := root.at("kind"), root.at("apiVersion")
	if text := kind.text(); text != "" && text != "Config" {
		kind.fault("want Config, found %q: this is not a kubeconfig", cut(text))
	}
	if text := version.text(); text != "" && text != "v1" {
		version.fault("want v1, found %q", cut(text))
	}
}

// cut keeps a text that should have been a word from filling an error.
func cut(text string) string {
	if len(text) > 64 {
		return text[:64] + "…"
	}
	return text
}

// named reads a list of entries that have a name and, in a field, their
// content.
func named[E any](list node, field string, read func(node) *E) map[string]*E {
	entries := map[string]*E{}
	for item := range list.items() {
		item = item.fields()
		name := item.at("name").text()
		if entries[name] != nil {
			item.fault("there are two with the name %q", cut(name))
		}
		entries[name] = read(item.at(field).fields())
	}
	return entries
}

// resolve makes a path absolute that is relative to the file's folder.
func resolve(folder, path string) string {
	if path == "" || folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// resolveCommand does so for commands that are paths: the others are looked for
// where the process looks for commands.
func resolveCommand(folder, command string) string {
	if !strings.ContainsRune(command, filepath.Separator) {
		return command
	}
	return resolve(folder, command)
}
