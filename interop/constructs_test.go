package interop_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const constructs = "testdata/constructs"

// The table of constructs: the ways in which programs obtain, pass and store informers,
// listers, indexers, queues and handlers. The file outcome of each one has the result of
// thinformer-migrate's patch: "import" if only import lines change, "patch" if other lines
// change as well, and "stays: WORDS" if nothing changes, where WORDS begin a line of the
// section "What stays" in docs/migration.md. 95 % switch, the switched programs compile, and
// the tests of those that have tests pass.
func TestConstructsSwitch(t *testing.T) {
	dir := moduleOfConstructs(t)
	requireCheckout(t, dir)
	applyPatch(t, dir, migrate(t, dir, "-diff"))
	shell(t, dir, "go vet -mod=mod ./...")
	withTests, err := filepath.Glob(filepath.Join(constructs, "*", "external_test.go"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(withTests), 4)
	for _, file := range withTests {
		shell(t, dir, "go test -mod=mod -timeout 5m ./"+filepath.Base(filepath.Dir(file)))
	}

	var want, got []string
	stays := 0
	for _, name := range namesOfConstructs(t) {
		outcome := outcomeOf(t, name)
		switched := outcomeOfPatch(t, filepath.Join(constructs, name), filepath.Join(dir, name))
		want, got = append(want, name+": "+outcome), append(got, name+": "+switched)
		if outcome == "stays" {
			stays++
			continue
		}
		for _, file := range goFiles(t, filepath.Join(dir, name)) {
			for _, constructor := range constructorsOfClientGo(t, file) {
				t.Errorf("%s: %s is still called", name, constructor)
			}
		}
	}
	require.Equal(t, want, got)
	require.GreaterOrEqual(t, len(want), 64)
	require.LessOrEqual(t, 20*stays, len(want), "more than 5 %% of the constructs stay")
	page, err := os.ReadFile("../docs/migration.md")
	require.NoError(t, err)
	require.Contains(t, string(page), fmt.Sprintf("%d of %d switch", len(want)-stays, len(want)))
}

// Every construct that stays has its line in the documents.
func TestConstructsThatStayAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/migration.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## What stays\n")
	require.True(t, found)
	for _, name := range namesOfConstructs(t) {
		text, err := os.ReadFile(filepath.Join(constructs, name, "outcome"))
		require.NoError(t, err)
		if words, stays := strings.CutPrefix(string(text), "stays: "); stays {
			require.Contains(t, section, strings.TrimSpace(words), name)
		}
	}
}

func namesOfConstructs(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(constructs)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// outcomeOf returns the first word of a construct's file outcome.
func outcomeOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(constructs, name, "outcome"))
	require.NoError(t, err)
	word, _, _ := strings.Cut(strings.TrimSpace(string(text)), ":")
	require.Contains(t, []string{"import", "patch", "stays"}, word, name)
	return word
}

// moduleOfConstructs creates a module of a user with a copy of all constructs and of the
// kinds for which code-generator has generated a factory.
func moduleOfConstructs(t *testing.T) string {
	t.Helper()
	dir := moduleOfAUser(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS(constructs)))
	for _, folder := range []string{"apis", "generated"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "widgets", folder), os.DirFS(filepath.Join("testdata/widgets", folder))))
	}
	for _, file := range goFiles(t, dir) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(inModuleOfConstructs(string(text))), 0o600))
	}
	return dir
}

// inModuleOfConstructs changes the import paths of constructs and of the kinds in package
// widgets to those in the user's module.
func inModuleOfConstructs(text string) string {
	const testdata = "github.com/thinformer/thinformer/interop/testdata/"
	return strings.NewReplacer(testdata+"constructs/", "example.com/user/", testdata+"widgets/", "example.com/user/widgets/").Replace(text)
}

// migrate builds thinformer-migrate, runs it in dir, and returns its output.
func migrate(t *testing.T, dir string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "thinformer-migrate")
	shell(t, "../cmd/thinformer-migrate", "go build -o "+file+" .")
	return shell(t, dir, file+" "+strings.Join(args, " ")+" 2>/dev/null")
}

// applyPatch applies a patch with git: all of it, or it fails.
func applyPatch(t *testing.T, dir, patch string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "patch")
	require.NoError(t, os.WriteFile(file, []byte(patch), 0o600))
	shell(t, dir, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)+" git apply "+file)
}

// requireCheckout makes a module require this checkout's two modules.
func requireCheckout(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for path, checkout := range map[string]string{"github.com/thinformer/thinformer": root, "github.com/thinformer/thinformer/interop": root + "/interop"} {
		shell(t, dir, "go mod edit -require="+path+"@v0.1.0 -replace="+path+"="+checkout)
	}
}

// outcomeOfPatch compares a construct with its switched copy.
func outcomeOfPatch(t *testing.T, before, after string) string {
	t.Helper()
	outcome := "stays"
	old, changed := goFiles(t, before), goFiles(t, after)
	if len(old) != len(changed) {
		return "patch" // the patch adds a file
	}
	for i, file := range changed {
		oldImports, oldRest := splitImports(t, old[i])
		imports, rest := splitImports(t, file)
		switch {
		case oldRest != rest:
			return "patch"
		case !slices.Equal(oldImports, imports):
			outcome = "import"
		}
	}
	return outcome
}

// splitImports returns a file's imports and the text without them.
func splitImports(t *testing.T, name string) (imports []string, rest string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	require.NoError(t, err)
	kept, from := "", 0
	for _, decl := range file.Decls {
		if general, ok := decl.(*ast.GenDecl); ok && general.Tok == token.IMPORT {
			begin, end := set.Position(decl.Pos()).Offset, set.Position(decl.End()).Offset
			kept, from = kept+string(text[from:begin]), end
			imports = append(imports, strings.Fields(inModuleOfConstructs(string(text[begin:end])))...)
		}
	}
	return imports, strings.Join(strings.Fields(kept+string(text[from:])), " ")
}

// constructorsOfClientGo returns the functions of client-go and of code-generator that a file
// calls to create informers, factories, reflectors and queues.
func constructorsOfClientGo(t *testing.T, name string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	require.NoError(t, err)
	packages := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		under, isClientGo := strings.CutPrefix(path, "k8s.io/client-go/")
		_, generated, isGenerated := strings.Cut(path, "/widgets/generated/")
		if isGenerated {
			under = generated // code-generator's factory has client-go's informers too
		} else if !isClientGo {
			continue
		}
		local := filepath.Base(under)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		switch top, _, _ := strings.Cut(under, "/"); {
		case slices.Contains([]string{"tools/cache", "util/workqueue", "dynamic/dynamicinformer", "metadata/metadatainformer"}, under), top == "informers":
			packages[local] = path
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		local, ok := selector.X.(*ast.Ident)
		if ok && packages[local.Name] != "" && createsAnInformer(packages[local.Name], selector.Sel.Name) {
			found = append(found, packages[local.Name]+"."+selector.Sel.Name)
		}
		return true
	})
	return found
}

// createsAnInformer reports whether a function of client-go creates an informer, a factory, a
// reflector or a queue. New of a group's package passes functions that create informers to the
// factory that it receives.
func createsAnInformer(path, name string) bool {
	if path == "k8s.io/client-go/tools/cache" {
		return strings.HasPrefix(name, "New") && name != "NewInformerName" && (strings.Contains(name, "Informer") || strings.Contains(name, "Reflector"))
	}
	return strings.HasPrefix(name, "New") || path == "k8s.io/client-go/util/workqueue"
}
