package differences

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// A Place is a line of a file.
type Place struct {
	File *program.File
	Line int
}

// A Touched row has the places that touch it, in the order of files and lines.
type Touched struct {
	Row    Row
	Places []Place
}

// Find returns the rows that a program touches, in the order of the table.
func Find(found *proposal.Proposal) []Touched {
	f := &finder{fset: found.Program.Fset, places: map[string][]Place{}}
	seen := map[*program.File]bool{}
	for _, pkg := range found.Affected {
		f.handles = handles(found.Base[pkg.ID].Info)
		for _, file := range pkg.Files {
			if !seen[file] && !file.Generated {
				seen[file] = true
				f.file, f.info = file, found.Base[pkg.ID].Info
				f.examine()
			}
		}
	}
	var touched []Touched
	for _, row := range Table() {
		places := f.places[row.Name]
		if len(places) == 0 {
			continue
		}
		slices.SortFunc(places, func(a, b Place) int {
			if n := strings.Compare(a.File.Path, b.File.Path); n != 0 {
				return n
			}
			return a.Line - b.Line
		})
		touched = append(touched, Touched{Row: row, Places: slices.Compact(places)})
	}
	return touched
}

// finder examines one file after the other.
type finder struct {
	fset   *token.FileSet
	places map[string][]Place // by row

	file    *program.File
	info    *types.Info
	handles bool                  // the package creates informers, handlers or queues
	indexed map[types.Object]bool // variables with the result of GetIndexers
}

func (f *finder) touch(n ast.Node, rows ...string) {
	for _, row := range rows {
		f.places[row] = append(f.places[row], Place{f.file, f.fset.PositionFor(n.Pos(), false).Line})
	}
}

func (f *finder) examine() {
	f.indexed = map[types.Object]bool{}
	declared := map[*ast.CompositeLit]bool{}
	ast.Inspect(f.file.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if object := f.info.Uses[n]; object != nil && object.Pkg() != nil {
				if object.Pkg().Path() != runtimePath || f.handles {
					f.touch(n, rowsOf(object.Pkg().Path(), object.Name())...)
				}
				if isCache(object.Pkg().Path()) && handlerPeriod(object) {
					f.touch(n, periodRows...)
				}
			}
		case *ast.FuncDecl:
			f.indexFunction(f.info.TypeOf(n.Name), n.Body)
		case *ast.FuncLit:
			f.indexFunction(f.info.TypeOf(n), n.Body)
		case *ast.BasicLit:
			if n.Kind == token.STRING && (strings.Contains(n.Value, "KUBE_CACHE_MUTATION_DETECTOR") || strings.Contains(n.Value, "KUBE_WATCHLIST_INCONSISTENCY_DETECTOR") || strings.Contains(n.Value, "KUBE_FEATURE_")) {
				f.touch(n, "environment")
			}
		case *ast.CallExpr:
			f.call(n, declared)
		case *ast.CompositeLit:
			if !declared[n] && len(n.Elts) > 0 && f.isListWatch(f.info.TypeOf(n)) {
				f.touch(n, "hand-made")
			}
		case *ast.AssignStmt:
			f.assigned(n)
		}
		return true
	})
}

// call examines a call: delete(store.GetIndexers(), name) changes the map in place, and a
// ListWatch that is passed to ToListWatcherWithWatchListSemantics declares its source.
func (f *finder) call(call *ast.CallExpr, declared map[*ast.CompositeLit]bool) {
	if ident, ok := call.Fun.(*ast.Ident); ok && len(call.Args) == 2 {
		if _, ok := f.info.Uses[ident].(*types.Builtin); ok && ident.Name == "delete" && f.isIndexers(call.Args[0]) {
			f.touch(call, "get-indexers")
		}
	}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "ToListWatcherWithWatchListSemantics" && len(call.Args) > 0 {
		if address, ok := call.Args[0].(*ast.UnaryExpr); ok {
			if literal, ok := address.X.(*ast.CompositeLit); ok {
				declared[literal] = true
			}
		}
	}
}

// assigned examines an assignment: to an element of the result of GetIndexers, or of the
// result to a variable.
func (f *finder) assigned(n *ast.AssignStmt) {
	for i, left := range n.Lhs {
		if index, ok := left.(*ast.IndexExpr); ok && f.isIndexers(index.X) {
			f.touch(n, "get-indexers")
		}
		if ident, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && f.isIndexers(n.Rhs[i]) {
			if object := f.info.ObjectOf(ident); object != nil {
				f.indexed[object] = true
			}
		}
	}
}

// isIndexers reports whether an expression is the result of GetIndexers.
func (f *finder) isIndexers(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.Ident:
		return f.indexed[f.info.Uses[e]]
	case *ast.CallExpr:
		selector, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "GetIndexers" {
			return false
		}
		method, ok := f.info.Uses[selector.Sel].(*types.Func)
		return ok && method.Pkg() != nil && isCache(method.Pkg().Path())
	}
	return false
}

func (f *finder) isListWatch(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Name() != "ListWatch" {
		return false
	}
	return isCache(named.Obj().Pkg().Path())
}

func isCache(path string) bool { return path == standin.ClientCache || path == standin.Cache }
