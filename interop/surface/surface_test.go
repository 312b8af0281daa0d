package surface

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A pair is a package of client-go and its replacement.
type pair struct {
	theirs, ours string
	// otherwise has the names with another signature here that still compiles with the
	// programs that use them, and the reason.
	otherwise map[string]string
	// parts are packages whose types may take the place of those with the same names.
	parts []string
	// rest is another package of ours, which has all names; then ours may have fewer than
	// 85 percent.
	rest string
}

// shapes returns the comparison of the two packages.
func (p pair) shapes() shapes {
	same := map[string]string{p.theirs: "", p.ours: ""}
	for _, path := range p.parts {
		same[path] = ""
	}
	return shapes{same: same}
}

const module = "github.com/thinformer/thinformer/"

var pairs = []pair{
	{theirs: "k8s.io/client-go/tools/cache", ours: module + "cache", otherwise: map[string]string{
		"Getter":                         "by type parameters, since the client's Request is client-go's own type",
		"NewListWatchFromClient":         "takes any client with the methods that it calls: see TestCallsCompile",
		"NewFilteredListWatchFromClient": "the same",
	}},
	{theirs: "k8s.io/client-go/util/workqueue", ours: module + "workqueue"},
	{theirs: "k8s.io/client-go/tools/cache/testing", ours: module + "cache/testing", rest: module + "interop/cachetesting"},
	{theirs: "k8s.io/client-go/tools/cache/testing", ours: module + "interop/cachetesting", parts: []string{module + "cache/testing"}},
	{theirs: "k8s.io/client-go/tools/cache/synctrack", ours: module + "cache/synctrack"},
	{theirs: "k8s.io/client-go/tools/watch", ours: module + "cache/watch", parts: caches},
	{theirs: "k8s.io/client-go/tools/pager", ours: module + "cache/pager"},
	{theirs: "k8s.io/client-go/util/retry", ours: module + "cache/retry"},
	{theirs: "k8s.io/client-go/dynamic/dynamiclister", ours: module + "cache/dynamiclister", parts: caches},
	{theirs: "k8s.io/client-go/metadata/metadatalister", ours: module + "cache/metadatalister", parts: caches},
	{theirs: "k8s.io/client-go/informers", ours: module + "interop/informers", otherwise: map[string]string{
		"SharedInformerOption":                "client-go's is a function of its own factory, which a program cannot call",
		"NewSharedInformerFactoryWithOptions": "takes these options",
		"WithCustomResyncConfig":              "returns such an option",
		"WithInformerName":                    "the same",
		"WithNamespace":                       "the same",
		"WithTransform":                       "the same",
		"WithTweakListOptions":                "the same",
	}},
	{theirs: "k8s.io/client-go/dynamic/dynamicinformer", ours: module + "interop/dynamicinformer"},
	{theirs: "k8s.io/client-go/metadata/metadatainformer", ours: module + "interop/metadatainformer"},
}

// caches are the two packages whose types the signatures of other pairs have.
var caches = []string{"k8s.io/client-go/tools/cache", module + "cache"}

// Every exported name of the two packages is here with the same signature, or with one that
// lets the same programs compile, or on the list of omitted names, each with its reason; at
// least 85 percent are not on that list.
func TestEveryNameIsAccountedFor(t *testing.T) {
	loaded := load(t)
	for _, p := range pairs {
		t.Run(strings.TrimPrefix(p.ours, module), func(t *testing.T) {
			theirs, ours := loaded.types(t, p.theirs), loaded.types(t, p.ours)
			leftOut := leftOut(t, loaded.folders[p.ours])
			s := p.shapes()
			names, present, inTypes := 0, 0, 0
			for _, name := range theirs.Scope().Names() {
				object := theirs.Scope().Lookup(name)
				if !object.Exported() {
					continue
				}
				names++
				inTypes += members(object)
				here := ours.Scope().Lookup(name)
				reason, isLeftOut := leftOut[name]
				switch {
				case here == nil && !isLeftOut:
					t.Errorf("missing: %s", name)
					continue
				case here == nil && len(reason) < 20:
					t.Errorf("%s is omitted without a reason", name)
					continue
				case here == nil:
					continue
				case isLeftOut:
					t.Errorf("%s is on the list of omitted names, and is here", name)
				}
				present++
				lines := s.difference(object, here)
				_, isOtherwise := p.otherwise[name]
				if isOtherwise && lines == nil {
					t.Errorf("%s has the same signature: remove it from the list", name)
				}
				if !isOtherwise {
					for _, line := range lines {
						t.Errorf("differs: %s", line)
					}
				}
			}
			for name := range leftOut {
				if theirs.Scope().Lookup(name) == nil {
					t.Errorf("%s is on the list of omitted names, and client-go has no such name", name)
				}
			}
			t.Logf("%d of %d exported names of %s are here (%d%%), %d of them with another signature; their types have %d fields and methods",
				present, names, p.theirs, 100*present/names, len(p.otherwise), inTypes)
			if 100*present < 85*names && p.rest == "" {
				t.Errorf("%d of %d are less than 85%%", present, names)
			}
		})
	}
}

// Names that are deprecated in client-go are deprecated here, so that no new program uses
// them. A name that is deprecated only here names its replacement.
func TestDeprecatedNamesAreMarked(t *testing.T) {
	loaded := load(t)
	for _, p := range pairs {
		theirs, ours := deprecated(t, loaded.folders[p.theirs]), deprecated(t, loaded.folders[p.ours])
		here := loaded.types(t, p.ours)
		for name := range maps.Keys(theirs) {
			if here.Scope().Lookup(name) != nil && ours[name] == "" {
				t.Errorf("%s.%s is deprecated in client-go, and not marked", filepath.Base(p.ours), name)
			}
		}
		for name, why := range ours {
			if len(why) < 10 {
				t.Errorf("%s.%s is deprecated, and the notice names no replacement", filepath.Base(p.ours), name)
			}
		}
		t.Logf("%s: %d names are deprecated there, %d here", filepath.Base(p.ours), len(theirs), len(ours))
	}
}

// The comparison detects differences.
func TestDifferencesAreFound(t *testing.T) {
	theirs := check(t, "there", `package p
		type S struct { A int; B func(p *S) error }
		func (S) Value() {}
		func (*S) Pointer(x int) {}
		type I interface { M(); N(a any) }
		type G[T comparable] interface { Get() (item T, shutdown bool) }
		type F func(name string) error
		type own struct{}
		type O func(*own)
		const C = "c"
		var V error
		func Call[T any](of G[int], more ...T) (n int) { return 0 }
	`)
	for _, c := range []struct{ here, missing string }{
		{"type S struct { A int; B func(*S) error; More string }\nfunc (S) Value() {}\nfunc (*S) Pointer(int) {}", ""},
		{"type S struct { A int }\nfunc (S) Value() {}\nfunc (*S) Pointer(int) {}", "S.B"},
		{"type S struct { A int; B func(S) error }\nfunc (S) Value() {}\nfunc (*S) Pointer(int) {}", "S.B"},
		{"type S struct { A int; B func(*S) error }\nfunc (*S) Value() {}\nfunc (*S) Pointer(int) {}", "S.Value"},
		{"type S struct { A int; B func(*S) error }\nfunc (S) Value() {}\nfunc (*S) Pointer(string) {}", "S.Pointer"},
		{"type S struct { A int; B func(*S) error }\nfunc (S) Value() {}", "S.Pointer"},
		{"type I interface { N(interface{}); M() }", ""},
		{"type I interface { N(any); M(); More() }", "I"},
		{"type I interface { N(any) }", "I"},
		{"type G[T comparable] interface { Get() (T, bool) }", ""},
		{"type G[T any] interface { Get() (T, bool) }", "G's type parameters"},
		{"type F func(string) error", ""},
		{"type F = func(string) error", ""},
		{"type F = func(string)", "F"},
		{"type I = interface { N(any); M() }", "I is an alias"},
		{"type Other struct { A int; B func(*S) error }\nfunc (Other) Value() {}\nfunc (*Other) Pointer(int) {}\ntype S = Other", "S.B"},
		{"type F func(string)", "F"},
		{"type other int\ntype O func(*other)", ""},
		{"type O func(*int)", "O"},
		{`const C = "d"`, "C"},
		{"var C string", "C is a"},
		{"var V error", ""},
		{"var V any", "V"},
		{"type G[T comparable] interface { Get() (T, bool) }\nfunc Call[K any](of G[int], more ...K) int { return 0 }", ""},
		{"type G[T comparable] interface { Get() (T, bool) }\nfunc Call[K any](of G[string], more ...K) int { return 0 }", "Call"},
		{"type G[T comparable] interface { Get() (T, bool) }\nfunc Call[K any](of G[int], more []K) int { return 0 }", "Call"},
	} {
		here := check(t, "here", "package p\n"+c.here)
		var found []string
		for _, name := range here.Scope().Names() {
			if there := theirs.Scope().Lookup(name); there != nil {
				found = append(found, shapes{same: map[string]string{"there": "", "here": ""}}.difference(there, here.Scope().Lookup(name))...)
			}
		}
		if c.missing == "" && found != nil || c.missing != "" && (len(found) != 1 || !strings.HasPrefix(found[0], c.missing)) {
			t.Errorf("%s\nhas the differences %q and not %q", c.here, found, c.missing)
		}
	}
}

func check(t *testing.T, path, source string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, path+".go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := (&types.Config{}).Check(path, files, []*ast.File{syntax}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return checked
}

// loading reads packages from the compiler's export data.
type loading struct {
	folders map[string]string
	types.Importer
}

func load(t *testing.T) loading {
	t.Helper()
	arguments := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{.Export}}"}
	for _, p := range pairs {
		arguments = append(arguments, p.theirs, p.ours)
	}
	var complaints bytes.Buffer
	list := exec.Command("go", arguments...)
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	l, exports := loading{folders: map[string]string{}}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) == 3 {
			l.folders[fields[0]], exports[fields[0]] = fields[1], fields[2]
		}
	}
	l.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	return l
}

func (l loading) types(t *testing.T, path string) *types.Package {
	t.Helper()
	loaded, err := l.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

var item = regexp.MustCompile(`(?s)^([A-Z]\w*(?:, [A-Z]\w*)*): (.*)$`)

// leftOut returns the names under the heading "Omitted names" of a package comment, with
// the reasons: list items that begin with the names.
func leftOut(t *testing.T, folder string) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	_, section, found := strings.Cut(comment(t, folder), "\n# Omitted names\n")
	if !found {
		return reasons
	}
	section, _, _ = strings.Cut(section, "\n# ")
	for _, text := range strings.Split(section, "\n  - ")[1:] {
		words := strings.Join(strings.Fields(text), " ")
		parts := item.FindStringSubmatch(words)
		if parts == nil {
			t.Errorf("%s: an item of the list of omitted names is not of the form \"Name, Name: reason\": %s", folder, words)
			continue
		}
		for name := range strings.SplitSeq(parts[1], ", ") {
			reasons[name] = parts[2]
		}
	}
	return reasons
}

func comment(t *testing.T, folder string) string {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, "doc.go"), nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return "\n" + syntax.Doc.Text()
}

// deprecated returns the deprecated names of a package, with their notices.
func deprecated(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	var syntax []*ast.File
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		syntax = append(syntax, file)
	}
	read, err := doc.NewFromFiles(files, syntax, "p")
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]string{}
	mark := func(text string, names ...string) {
		if _, why, found := strings.Cut("\n"+text, "\nDeprecated: "); found {
			for _, name := range names {
				marked[name] = why
			}
		}
	}
	functions := read.Funcs
	values := slices.Concat(read.Consts, read.Vars)
	for _, declared := range read.Types {
		mark(declared.Doc, declared.Name)
		functions = append(functions, declared.Funcs...)
		values = slices.Concat(values, declared.Consts, declared.Vars)
	}
	for _, function := range functions {
		mark(function.Doc, function.Name)
	}
	for _, value := range values {
		mark(value.Doc, value.Names...)
	}
	return marked
}
