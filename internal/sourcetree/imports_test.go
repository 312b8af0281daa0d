package sourcetree_test

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// importTable lists the packages of this module that each package may import.
// Data flows down the list. Every package may also import internal/.
// docs/design/packages.md has the reasons.
var importTable = map[string][]string{
	".":         {},
	"docs":      {}, // tests of the documents
	"rest":      {},
	"listwatch": {"rest"},
	"reflector": {"listwatch"},
	"indexer":   {},
	"deltafifo": {"indexer"},
	"informer":  {"rest", "listwatch", "reflector", "deltafifo", "indexer"},
	"workqueue": {},
	"controller": {
		// Run serves the page of informer/debug. controller/internal/health reads from the
		// states of reflector why an informer waits.
		"rest", "reflector", "indexer", "informer", "informer/debug", "workqueue",
	},
	"cache": {
		"rest", "listwatch", "reflector", "indexer", "deltafifo", "informer", "workqueue", "controller",
	},
	"apitest": {"rest"},
}

// internalTable lists what the packages of internal/ that do the work of rest may
// import. Other packages of internal/ may import all of internal/.
var internalTable = map[string][]string{
	"internal/transport": {"internal/brief"},
	"internal/wire":      {"internal/brief", "internal/intern", "internal/jsonobj", "internal/pbobj"},
}

// A package X may import the packages below X/internal, which may import what X may
// import, but never X.

// subpackages may import their parent and the packages that their parent may
// import. Other packages import a subpackage only if the table names it.
var subpackages = []string{
	"rest/kubeconfig",
	"rest/discovery",
	"listwatch/listwatchtest",
	"reflector/storetest",
	"informer/debug",
	"controller/leader",
	"cache/dynamiclister",
	"cache/metadatalister",
	"cache/pager",
	"cache/retry",
	"cache/synctrack",
	"cache/testing",
	"cache/watch",
}

const tableFile = "internal/sourcetree/imports_test.go"

// imports: a package imports only the packages on its line of the table. Test
// files are exempt.
func imports(t *testing.T, tree fs.FS) (violations []string) {
	unknown := map[string]bool{}
	for _, file := range sourcetree.RootModule(t, tree) {
		allowed, known := mayImport(file.Folder)
		if !known {
			if !unknown[file.Folder] {
				violations = append(violations, fmt.Sprintf("%s: the folder %s is not in the table in %s", file.Name, file.Folder, tableFile))
			}
			unknown[file.Folder] = true
			continue
		}
		if file.Test {
			continue
		}
		for _, spec := range file.Syntax.Imports {
			imported, ours := folderOf(spec.Path.Value)
			if !ours || allowed(imported) {
				continue
			}
			violations = append(violations, fmt.Sprintf("%s imports %s; %s may import %s of this module: see the table in %s",
				file.Name, imported, file.Folder, describe(file.Folder), tableFile))
		}
	}
	return violations
}

// mayImport returns a function that reports whether the package in folder may
// import another one of this module, and whether the table has the folder.
func mayImport(folder string) (allowed func(string) bool, known bool) {
	switch {
	case sourcetree.Within(folder, "examples"), sourcetree.Within(folder, "learn"):
		return func(string) bool { return true }, true
	case sourcetree.Within(folder, "internal"):
		packages, limited := internalTable[folder]
		return func(imported string) bool {
			if limited {
				return slices.Contains(packages, imported)
			}
			return sourcetree.Within(imported, "internal")
		}, true
	}
	packages, known := lineOf(folder)
	parent := ownerOf(folder)
	if parent == "" {
		parent = folder
	}
	return func(imported string) bool {
		return sourcetree.Within(imported, "internal") || sourcetree.Within(imported, parent+"/internal") ||
			slices.Contains(packages, imported)
	}, known
}

// ownerOf returns the package X of a folder X/internal/..., "" for other folders.
func ownerOf(folder string) string {
	owner, _, ok := strings.Cut(folder, "/internal/")
	if !ok {
		return ""
	}
	return owner
}

// lineOf returns the line of the table for a package or subpackage. The line of a
// package below X/internal is that of X, without X.
func lineOf(folder string) (packages []string, known bool) {
	if owner := ownerOf(folder); owner != "" {
		packages, known = lineOf(owner)
		return slices.DeleteFunc(slices.Clone(packages), func(name string) bool { return name == owner }), known
	}
	if slices.Contains(subpackages, folder) {
		parent := path.Dir(folder)
		return append([]string{parent}, importTable[parent]...), true
	}
	packages, known = importTable[folder]
	return packages, known
}

func describe(folder string) string {
	if packages, limited := internalTable[folder]; limited {
		return "only " + strings.Join(packages, ", ")
	}
	packages, _ := lineOf(folder)
	return strings.Join(append([]string{"only internal/..."}, packages...), ", ")
}

// folderOf returns the folder of an import path of this module.
func folderOf(quoted string) (folder string, ours bool) {
	imported, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if imported == sourcetree.Module {
		return ".", true
	}
	return strings.CutPrefix(imported, sourcetree.Module+"/")
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	sourcetree.Rule(imports).Holds(t)
}

func TestEverySubpackageHasAParentInTheTable(t *testing.T) {
	for _, folder := range subpackages {
		if _, known := importTable[path.Dir(folder)]; !known {
			t.Errorf("%s: %s is not in the table", folder, path.Dir(folder))
		}
	}
}

func TestTheImportTableCanFail(t *testing.T) {
	importing := func(folder string) *fstest.MapFile {
		return sourcetree.Text(fmt.Sprintf("package p\nimport _ %q\n", path.Join(sourcetree.Module, folder)))
	}
	table := sourcetree.Rule(imports)

	// In the order of the lines: against the data flow, a subpackage from its parent, a
	// package that the line does not name, and a package from internal.
	table.Breaks(t, fstest.MapFS{"indexer/keys.go": importing("deltafifo")}, "indexer/keys.go imports deltafifo", tableFile)
	table.Breaks(t, fstest.MapFS{"rest/client.go": importing("rest/kubeconfig")}, "rest/client.go imports rest/kubeconfig")
	table.Breaks(t, fstest.MapFS{"workqueue/queue.go": importing("indexer")}, "workqueue may import only internal/")
	table.Breaks(t, fstest.MapFS{"internal/ring/ring.go": importing("workqueue")}, "internal/ring/ring.go imports workqueue")
	table.Breaks(t, fstest.MapFS{"internal/wire/list.go": importing("internal/transport")}, "internal/wire may import only internal/brief")
	table.Breaks(t, fstest.MapFS{"reflector/run.go": importing("rest")}, "may import only internal/..., listwatch of")
	table.Breaks(t, fstest.MapFS{"apitest/internal/storage/store.go": importing("apitest")}, "apitest/internal/storage/store.go imports apitest;")
	table.Breaks(t, fstest.MapFS{"apitest/internal/storage/store.go": importing("indexer")}, "may import only internal/..., rest of")
	table.Breaks(t, fstest.MapFS{"util/internal/a/a.go": sourcetree.Text("package a")}, "the folder util/internal/a is not in the table")
	table.Breaks(t, fstest.MapFS{"util/strings.go": sourcetree.Text("package util")}, "the folder util is not in the table")
	table.Breaks(t, fstest.MapFS{"util/a.go": sourcetree.Text("package util"), "util/b.go": sourcetree.Text("package util")}, "util")

	table.Passes(t, fstest.MapFS{
		"deltafifo/fifo.go":          importing("indexer"),
		"rest/kubeconfig/load.go":    importing("rest"),
		"controller/leader/elect.go": importing("workqueue"),
		"indexer/vector.go":          importing("internal/ring"),

		"apitest/server.go":                  importing("apitest/internal/storage"),
		"apitest/internal/storage/store.go":  importing("apitest/internal/objects"),
		"apitest/internal/objects/encode.go": importing("internal/jsonobj"),
		"apitest/internal/kind/resource.go":  importing("rest"),

		"indexer/indexer_test.go":    importing("informer"),
		"examples/hello/main.go":     importing("cache"),
		"interop/go.mod":             sourcetree.Text("module " + sourcetree.Module + "/interop"),
		"interop/interop.go":         importing("cache"),
		"indexer/testdata/broken.go": sourcetree.Text("not go at all"),
	})
}
