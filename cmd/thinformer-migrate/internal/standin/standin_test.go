package standin

import (
	"flag"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var record = flag.Bool("record", false, "write the declarations in packages/")

// inInterop lists the names of package interop that the tool's patches use.
var inInterop = []string{"Indexer", "NewSharedIndexInformer", "NewSharedIndexInformerWithOptions", "NewSharedInformer"}

// The declarations in packages/ are those of the project's packages: the names that
// client-go's package has, and those that the tool's patches use.
func TestDeclarationsAreThoseOfThePackages(t *testing.T) {
	d := &declarations{packages: map[string]*types.Package{}, wanted: map[string]map[string]bool{}}
	var paths []string
	for _, p := range Pairs {
		paths = append(paths, p.Theirs, p.Ours)
	}
	loaded := load(t, append(paths, Interop, Factory)...)
	for _, p := range Pairs {
		theirs, ours := loaded[p.Theirs], loaded[p.Ours]
		if ours == nil {
			t.Logf("there is no package %s yet", p.Ours)
			continue
		}
		if theirs.Name() != ours.Name() {
			t.Errorf("%s is package %s, and %s is %s: a changed import would need a name", p.Theirs, theirs.Name(), p.Ours, ours.Name())
		}
		for _, name := range theirs.Scope().Names() {
			if here := ours.Scope().Lookup(name); here != nil && here.Exported() {
				d.want(here)
			}
		}
	}
	for _, name := range inInterop {
		if object := loaded[Interop].Scope().Lookup(name); object != nil {
			d.want(object)
		}
	}
	// The functions that replace the constructors of the groups' packages.
	if informers := loaded[Informers]; informers != nil {
		for _, name := range []string{"In", "NewInformer", "NewFilteredInformer"} {
			if object := informers.Scope().Lookup(name); object != nil {
				d.want(object)
			}
		}
	}
	// A file generated for another factory uses all of package factory.
	if factory := loaded[Factory]; factory != nil {
		for _, name := range factory.Scope().Names() {
			if object := factory.Scope().Lookup(name); object.Exported() {
				d.want(object)
			}
		}
	}
	texts := d.texts(t)
	if *record {
		old, err := filepath.Glob("packages/*.txt")
		must(t, err)
		for _, name := range old {
			must(t, os.Remove(name))
		}
		for path, text := range texts {
			must(t, os.WriteFile(filepath.Join("packages", fileOf(path)), text, 0o644))
		}
		return
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if string(Source(path)) != string(texts[path]) {
			t.Errorf("the declarations of %s have changed: run go test ./internal/standin -args -record", path)
		}
		for line := range strings.Lines(string(texts[path])) {
			if strings.Contains(line, "\""+Module) && !strings.Contains(line, "Code generated") {
				if imported := strings.Trim(strings.Fields(line)[1], `"`); texts[imported] == nil {
					t.Errorf("%s imports %s, which has no declarations", path, imported)
				}
			}
		}
	}
}

// load returns the packages of the project and of client-go that module interop has.
func load(t *testing.T, paths ...string) map[string]*types.Package {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Dir:  "../../../../interop",
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports,
		Env:  append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly"),
	}, paths...)
	must(t, err)
	all := map[string]*types.Package{}
	for _, p := range loaded {
		if len(p.Errors) == 0 {
			all[p.PkgPath] = p.Types
		}
	}
	if all[Cache] == nil || all[Interop] == nil || all[ClientCache] == nil {
		t.Fatal("the project's packages cannot be loaded")
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
