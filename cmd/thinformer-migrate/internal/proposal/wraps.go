package proposal

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// An argument is one of a call of a file, in the order of the calls that callsOf returns. A
// changed file has the same calls.
type argument struct {
	file        *program.File
	call, index int
}

// adapter is the function of package interop that returns client-go's type for an indexer.
const adapter = "Indexer"

// callsOf returns the calls in a file, without those of the adapter.
func callsOf(file *ast.File, info *types.Info) []*ast.CallExpr {
	var calls []*ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !adapts(call, info) {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

// adapts reports whether a call is one of the adapter.
func adapts(call *ast.CallExpr, info *types.Info) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != adapter {
		return false
	}
	ident, ok := selector.X.(*ast.Ident)
	if !ok {
		return false
	}
	name, ok := info.Uses[ident].(*types.PkgName)
	return ok && name.Imported().Path() == standin.Interop
}

// wrapArguments converts the arguments that cause errors because the parameter has
// client-go's type of an indexer and the value has ours, such as that of a generated lister.
// It takes back a conversion that does not compile. It reports whether a decision is new.
func (s *solver) wrapArguments(pkg *program.Package, result *program.Result) bool {
	changed := false
	for _, e := range result.Errors {
		for i, file := range result.Files {
			if e.Pos < file.FileStart || e.Pos > file.FileEnd || pkg.Files[i].Generated {
				continue
			}
			path, _ := astutil.PathEnclosingInterval(file, e.Pos, e.Pos)
			changed = s.wrapArgument(pkg.Files[i], result.Info, callsOf(file, result.Info), path, e.Pos) || changed
		}
	}
	return changed
}

func (s *solver) wrapArgument(file *program.File, info *types.Info, calls []*ast.CallExpr, path []ast.Node, pos token.Pos) bool {
	adapted := false
	for _, n := range path {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if adapts(call, info) {
			adapted = true
			continue
		}
		index := slices.IndexFunc(call.Args, func(arg ast.Expr) bool { return arg.Pos() <= pos && pos < arg.End() })
		if index < 0 {
			continue // the error is in the called function, such as that of an argument
		}
		at := argument{file, slices.Index(calls, call), index}
		wrapped, known := s.wraps[at]
		switch {
		case adapted && wrapped:
			s.wraps[at] = false
			return true
		case !known && passesIndexer(info, call, index):
			s.wraps[at] = true
			return true
		}
	}
	return false
}

// passesIndexer reports whether an argument is an indexer of this project and its parameter
// one of client-go.
func passesIndexer(info *types.Info, call *ast.CallExpr, index int) bool {
	function, ok := info.TypeOf(call.Fun).(*types.Signature)
	if !ok || index >= function.Params().Len() {
		return false
	}
	return isIndexer(function.Params().At(index).Type(), standin.ClientCache) && isIndexer(info.TypeOf(call.Args[index]), standin.Cache)
}

func isIndexer(t types.Type, path string) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Indexer" && pathOf(named) == path
}

// wrapped returns the arguments of a file that the adapter converts.
func (s *solver) wrapped(file *program.File) []argument {
	var all []argument
	for at, wrapped := range s.wraps {
		if at.file == file && wrapped {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b argument) int { return cmp.Or(a.call-b.call, a.index-b.index) })
	return all
}

// wrap passes arguments through the adapter.
func (e *editor) wrap(arguments []argument) {
	if len(arguments) == 0 {
		return
	}
	beside := e.file.Imports[0]
	for _, i := range e.file.Imports {
		if i.Path == standin.ClientCache {
			beside = i
		}
	}
	name := e.add(beside, standin.Interop, "interop") + "." + adapter
	calls := callsOf(e.file.Syntax, e.info)
	for _, at := range arguments {
		value := calls[at.call].Args[at.index]
		start, end := e.offset(value)
		old := shortened(string(e.file.Source[start:end]))
		e.edits = append(e.edits,
			edit{start, start, name + "(", &Change{File: e.file, Line: e.line(value), Old: old, New: name + "(" + old + ")"}},
			edit{start: end, end: end, text: ")"})
	}
}

// shortened returns an expression in one line.
func shortened(expression string) string {
	const most = 60
	expression = strings.Join(strings.Fields(expression), " ")
	if runes := []rune(expression); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return expression
}
