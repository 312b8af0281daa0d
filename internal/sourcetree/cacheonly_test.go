package sourcetree_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// cacheOnlyNote is the first line of a file whose exported names are for package cache.
// They cannot be below internal/, since their signatures have types of the public package.
const cacheOnlyNote = "// Only package cache uses the exported names of this file."

// cacheOnlyNames are those names. An addition needs a reason why cache cannot do without.
var cacheOnlyNames = []string{
	"deltafifo.DeltaFIFO.ConsumeMarkers",
	"deltafifo.DeltaFIFO.SkipInitialList",
	"indexer.Indexer.KeyedWriter",
	"indexer.KeyedWriter",
	"indexer.KeyedWriter.Apply",
	"indexer.KeyedWriter.Delete",
	"indexer.KeyedWriter.Replace",
	"indexer.KeyedWriter.Set",
	"informer.NewFrom",
	"informer.StoreConfig",
	"rest.NewRawListWatch",
	"rest.Page",
	"rest.PagedList",
	"rest.RawListWatch",
	"rest.RawListWatch.List",
	"rest.RawListWatch.ResourceInfo",
	"rest.RawListWatch.Watch",
	"rest.RawListWatchOptions",
	"rest.RawRequestFunc",
}

// cacheOnly: the files with the note declare the listed names and no other, and only cache
// refers to those names of other packages.
func cacheOnly(listed []string) sourcetree.Rule {
	return func(t *testing.T, tree fs.FS) (violations []string) {
		files := sourcetree.RootModule(t, tree)
		var declared []string
		for _, file := range files {
			if hasNote(file) {
				declared = append(declared, exportedNames(file)...)
			}
		}
		for _, name := range declared {
			if !slices.Contains(listed, name) {
				violations = append(violations, name+" is in a file for package cache, and not on cacheOnlyNames")
			}
		}
		for _, name := range listed {
			if !slices.Contains(declared, name) {
				violations = append(violations, name+" is on cacheOnlyNames, and in no file for package cache")
			}
		}
		for _, file := range files {
			if file.Test || sourcetree.Within(file.Folder, "cache") {
				continue
			}
			for _, used := range qualifiedNames(file) {
				if slices.Contains(listed, used) {
					violations = append(violations, fmt.Sprintf("%s uses %s, which is for package cache: move it to another file", file.Name, used))
				}
			}
		}
		return violations
	}
}

func hasNote(file sourcetree.File) bool {
	return len(file.Syntax.Comments) > 0 && file.Syntax.Comments[0].List[0].Text == cacheOnlyNote
}

// exportedNames returns the exported functions, types and methods that a file declares.
func exportedNames(file sourcetree.File) (names []string) {
	of := path.Base(file.Folder) + "."
	for _, declared := range file.Syntax.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			name := declared.Name.Name
			if receiver := receiverName(declared.Recv); receiver != "" {
				if !ast.IsExported(receiver) {
					continue
				}
				name = receiver + "." + name
			}
			if declared.Name.IsExported() {
				names = append(names, of+name)
			}
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() {
					names = append(names, of+spec.Name.Name)
				}
			}
		}
	}
	return names
}

func receiverName(receiver *ast.FieldList) string {
	if receiver == nil {
		return ""
	}
	of := receiver.List[0].Type
	for {
		switch typed := of.(type) {
		case *ast.StarExpr:
			of = typed.X
		case *ast.IndexExpr:
			of = typed.X
		case *ast.IndexListExpr:
			of = typed.X
		case *ast.Ident:
			return typed.Name
		default:
			return ""
		}
	}
}

// qualifiedNames returns the names of other packages of the module that a file refers to,
// such as rest.Page.
func qualifiedNames(file sourcetree.File) (names []string) {
	imported := map[string]string{} // by the name in the file, the last element of the path
	for _, spec := range file.Syntax.Imports {
		at, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !strings.HasPrefix(at, sourcetree.Module+"/") {
			continue
		}
		name := path.Base(at)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = path.Base(at)
	}
	ast.Inspect(file.Syntax, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok && imported[of.Name] != "" {
				names = append(names, imported[of.Name]+"."+selector.Sel.Name)
			}
		}
		return true
	})
	return names
}

func TestNamesForCacheAreListed(t *testing.T) { cacheOnly(cacheOnlyNames).Holds(t) }

func TestTheRuleOfNamesForCacheCanFail(t *testing.T) {
	const noted = cacheOnlyNote + "\n\npackage rest\n\n"
	rule := cacheOnly([]string{"rest.Page"})
	use := sourcetree.Text("package informer\nimport pages \"" + sourcetree.Module + "/rest\"\nvar _ pages.Page\n")
	page := sourcetree.Text(noted + "type Page int\ntype hidden int\nfunc (hidden) Method() {}\n")
	rule.Passes(t, fstest.MapFS{"rest/pages.go": page, "cache/list.go": use})
	rule.Breaks(t, fstest.MapFS{"rest/pages.go": page, "informer/list.go": use}, "informer/list.go uses rest.Page")
	rule.Breaks(t, fstest.MapFS{"rest/pages.go": sourcetree.Text(noted + "type Page int\nfunc (*Page) Next() {}\n")}, "rest.Page.Next", "not on cacheOnlyNames")
	rule.Breaks(t, fstest.MapFS{"rest/pages.go": sourcetree.Text("package rest\ntype Page int\n")}, "rest.Page", "in no file")
}
