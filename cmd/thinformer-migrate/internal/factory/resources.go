package factory

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// resourcesOf reads the resource of each informer from the cases of ForResource. The key
// has the accessors of the group, the version and the kind.
//
//	case appsv1.SchemeGroupVersion.WithResource("deployments"):
//		return &genericInformer{..., informer: f.Apps().V1().Deployments().Informer()}, nil
func resourcesOf(loaded *packages.Package) (map[[3]string]resource, error) {
	body := bodyOf(loaded.Syntax, "ForResource")
	if body == nil {
		return nil, errors.New("it has no method ForResource")
	}
	found := map[[3]string]resource{}
	var problem error
	ast.Inspect(body, func(n ast.Node) bool {
		clause, ok := n.(*ast.CaseClause)
		if !ok || len(clause.List) == 0 {
			return true
		}
		accessors, isInformer := accessorsIn(clause)
		if of, ok := resourceOf(loaded.TypesInfo, clause.List[0]); ok && isInformer && len(clause.List) == 1 {
			found[accessors] = of
		} else {
			problem = fmt.Errorf("%s: the case of ForResource is none that informer-gen 0.35 to 0.37 writes", loaded.Fset.Position(clause.Pos()))
		}
		return false
	})
	return found, problem
}

// bodyOf returns the body of the method of a name, or nil.
func bodyOf(files []*ast.File, method string) *ast.BlockStmt {
	for _, file := range files {
		for _, declared := range file.Decls {
			if function, ok := declared.(*ast.FuncDecl); ok && function.Recv != nil && function.Name.Name == method {
				return function.Body
			}
		}
	}
	return nil
}

// resourceOf reads PACKAGE.SchemeGroupVersion.WithResource("NAME").
func resourceOf(info *types.Info, expression ast.Expr) (resource, bool) {
	call, version, ok := methodCall(expression, "WithResource")
	if !ok || len(call.Args) != 1 {
		return resource{}, false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return resource{}, false
	}
	name, err := strconv.Unquote(literal.Value)
	selector, ok := version.(*ast.SelectorExpr)
	if err != nil || !ok || selector.Sel.Name != "SchemeGroupVersion" {
		return resource{}, false
	}
	variable := info.Uses[selector.Sel]
	if variable == nil || variable.Pkg() == nil {
		return resource{}, false
	}
	return resource{apiPath: variable.Pkg().Path(), apiName: variable.Pkg().Name(), name: name}, true
}

// accessorsIn returns the accessors of f.GROUP().VERSION().KIND().Informer() in a clause.
func accessorsIn(clause *ast.CaseClause) (accessors [3]string, found bool) {
	ast.Inspect(clause, func(n ast.Node) bool {
		expression, ok := n.(ast.Expr)
		if !ok || found {
			return !found
		}
		_, receiver, ok := methodCall(expression, "Informer")
		if !ok {
			return true
		}
		var names []string
		for {
			call, inner, ok := methodCall(receiver, "")
			if !ok || len(call.Args) != 0 {
				break
			}
			names = append(names, call.Fun.(*ast.SelectorExpr).Sel.Name)
			receiver = inner
		}
		if len(names) == len(accessors) {
			slices.Reverse(names)
			accessors, found = [3]string(names), true
		}
		return !found
	})
	return accessors, found
}

// methodCall returns a call of a method, of any if name is empty, and its receiver.
func methodCall(expression ast.Expr, name string) (call *ast.CallExpr, receiver ast.Expr, ok bool) {
	call, ok = expression.(*ast.CallExpr)
	if !ok {
		return nil, nil, false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || name != "" && selector.Sel.Name != name {
		return nil, nil, false
	}
	return call, selector.X, true
}
