package proposal

import (
	"go/ast"
	"go/types"
	"path"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// groupFunction is the function of a group's package that returns its informers in a factory.
const groupFunction = "New"

// factoriesOf returns the paths that the factory of a package can have if it is that of a
// group, such as k8s.io/client-go/informers/core, or of a version of one.
func factoriesOf(importPath string) []string {
	var found []string
	if factory := factoryOf(importPath); factory != "" {
		found = append(found, factory)
	}
	if factory := path.Dir(importPath); path.Base(importPath) != "externalversions" && (factory == standin.ClientInformers || MayBeFactory(factory)) {
		found = append(found, factory)
	}
	return found
}

// FactoryOfNew returns the path of the factory of a function New in the package of a group or
// of a version, and "" for other functions. The function passes client-go's own functions to
// the factory that it receives, which creates client-go's informers with them.
func FactoryOfNew(function *types.Func) string {
	parameters, results := function.Signature().Params(), function.Signature().Results()
	if function.Name() != groupFunction || function.Signature().Recv() != nil || parameters.Len() != 3 || results.Len() != 1 {
		return ""
	}
	received, ok := types.Unalias(parameters.At(0).Type()).(*types.Named)
	if !ok || received.Obj().Name() != "SharedInformerFactory" || received.Obj().Pkg() == nil || path.Base(received.Obj().Pkg().Path()) != "internalinterfaces" {
		return ""
	}
	if returned, ok := types.Unalias(results.At(0).Type()).(*types.Named); !ok || returned.Obj().Pkg() != function.Pkg() || !types.IsInterface(returned) {
		return ""
	}
	return path.Dir(received.Obj().Pkg().Path())
}

// An overFactory is a call of a group's New, with the accessors that return the same in what
// In returns, such as ".Core().V1()".
type overFactory struct {
	use       *ast.SelectorExpr
	call      *ast.CallExpr
	accessors string
}

// over returns the calls of a group's New.
func (e *editor) over(uses []*ast.SelectorExpr) []overFactory {
	var found []overFactory
	for _, use := range uses {
		function, ok := e.info.Uses[use.Sel].(*types.Func)
		if !ok {
			continue
		}
		factory := FactoryOfNew(function)
		if factory == "" {
			continue
		}
		pkg, err := e.named(factory)
		if err != nil {
			continue
		}
		accessors := accessorsOf(pkg, function.Signature().Results().At(0).Type())
		if call := e.callOf(use); call != nil && accessors != "" {
			found = append(found, overFactory{use, call, accessors})
		}
	}
	return found
}

// accessorsOf returns the accessors of a factory that return a type, and "" if there are none.
// Types of other checks of the same package are not identical: names are compared.
func accessorsOf(factory *types.Package, wanted types.Type) string {
	object := factory.Scope().Lookup("SharedInformerFactory")
	if object == nil {
		return ""
	}
	text := types.TypeString(wanted, nil)
	for group, groupType := range accessors(object.Type()) {
		if types.TypeString(groupType, nil) == text {
			return "." + group + "()"
		}
		for version, versionType := range accessors(groupType) {
			if types.TypeString(versionType, nil) == text {
				return "." + group + "()." + version + "()"
			}
		}
	}
	return ""
}

// accessors returns the methods of an interface without parameters that return an interface
// with a name, and what they return.
func accessors(of types.Type) map[string]types.Type {
	found := map[string]types.Type{}
	for method := range types.NewMethodSet(of).Methods() {
		signature := method.Obj().Type().(*types.Signature)
		if signature.Params().Len() != 0 || signature.Results().Len() != 1 {
			continue
		}
		if result, ok := types.Unalias(signature.Results().At(0).Type()).(*types.Named); ok && types.IsInterface(result) {
			found[method.Obj().Name()] = result
		}
	}
	return found
}

// in replaces the calls of a group's New by those of In of the package with a name.
func (e *editor) in(over []overFactory, name string) {
	for _, o := range over {
		start, end := e.offset(o.use)
		e.edits = append(e.edits, edit{start, end, name + ".In", &Change{
			File: e.file, Line: e.line(o.use), Old: string(e.file.Source[start:end]), New: name + ".In(...)" + o.accessors,
		}})
		_, end = e.offset(o.call)
		e.edits = append(e.edits, edit{start: end, end: end, text: o.accessors})
	}
}
