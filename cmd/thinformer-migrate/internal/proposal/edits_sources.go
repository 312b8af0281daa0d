package proposal

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// clientSources are the functions of tools/cache that make a source of a client. Only the
// source that this project's function returns is decoded by this project.
var clientSources = []string{"NewListWatchFromClient", "NewFilteredListWatchFromClient"}

// sources returns the calls of clientSources whose result is only passed to the constructors
// that are replaced: as an argument, or in a variable without other uses.
func (e *editor) sources(constructors, uses []*ast.SelectorExpr) (found []*ast.SelectorExpr) {
	passed := map[types.Object]int{} // how often a variable is passed to a constructor
	for _, constructor := range constructors {
		call := e.callOf(constructor)
		if call == nil || len(call.Args) == 0 {
			continue
		}
		switch source := ast.Unparen(call.Args[0]).(type) {
		case *ast.Ident:
			if variable := e.info.Uses[source]; variable != nil {
				passed[variable]++
			}
		case *ast.CallExpr:
			if selector := sourceOf(source, uses); selector != nil {
				found = append(found, selector)
			}
		}
	}
	ast.Inspect(e.file.Syntax, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			return true
		}
		name, ok := assign.Lhs[0].(*ast.Ident)
		if !ok || e.info.Defs[name] == nil || passed[e.info.Defs[name]] == 0 || passed[e.info.Defs[name]] != e.references(e.info.Defs[name]) {
			return true
		}
		if call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr); ok {
			if selector := sourceOf(call, uses); selector != nil {
				found = append(found, selector)
			}
		}
		return true
	})
	return found
}

// sourceOf returns the selector of a call of clientSources, and nil for other calls.
func sourceOf(call *ast.CallExpr, uses []*ast.SelectorExpr) *ast.SelectorExpr {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(uses, selector) || !slices.Contains(clientSources, selector.Sel.Name) {
		return nil
	}
	return selector
}

// references returns how often a variable is used in the file.
func (e *editor) references(variable types.Object) (count int) {
	ast.Inspect(e.file.Syntax, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && e.info.Uses[ident] == variable {
			count++
		}
		return true
	})
	return count
}
