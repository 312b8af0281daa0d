package factory

import (
	"fmt"
	"go/types"
	"iter"
	"maps"
	"slices"
)

// lookup has the methods of an interface by name, including embedded ones.
type lookup map[string]*types.Signature

func methodOf(of *types.Named) lookup {
	found := lookup{}
	for method := range types.NewMethodSet(of).Methods() {
		found[method.Obj().Name()] = method.Obj().Type().(*types.Signature)
	}
	return found
}

// all returns the methods in the order of their names.
func (l lookup) all() iter.Seq2[string, *types.Signature] {
	return func(yield func(string, *types.Signature) bool) {
		for _, name := range slices.Sorted(maps.Keys(l)) {
			if !yield(name, l[name]) {
				return
			}
		}
	}
}

// named returns a named type, or nil.
func named(of types.Type) *types.Named {
	found, _ := types.Unalias(of).(*types.Named)
	return found
}

// pointedTo returns the named type that a pointer points to, or nil.
func pointedTo(of types.Type) *types.Named {
	pointer, ok := types.Unalias(of).(*types.Pointer)
	if !ok {
		return nil
	}
	return named(pointer.Elem())
}

// accessorResult returns the named interface that a method without parameters returns, or
// nil.
func accessorResult(method *types.Signature) *types.Named {
	if method == nil || method.Params().Len() != 0 || method.Results().Len() != 1 {
		return nil
	}
	result := named(method.Results().At(0).Type())
	if result == nil || !types.IsInterface(result) {
		return nil
	}
	return result
}

// listedBy returns the type of the objects that a lister's List returns, or nil.
func listedBy(list *types.Signature) *types.Named {
	if list == nil || list.Results().Len() != 2 {
		return nil
	}
	slice, ok := types.Unalias(list.Results().At(0).Type()).(*types.Slice)
	if !ok {
		return nil
	}
	return pointedTo(slice.Elem())
}

// parameterOf returns the named type of a parameter of a function of a package.
func parameterOf(scope *types.Scope, function string, count, index int) (*types.Named, error) {
	found, ok := scope.Lookup(function).(*types.Func)
	if !ok {
		return nil, fmt.Errorf("it has no function %s", function)
	}
	parameters := found.Signature().Params()
	if parameters.Len() != count || named(parameters.At(index).Type()) == nil {
		return nil, fmt.Errorf("its %s has other parameters than those of informer-gen 0.35 to 0.37", function)
	}
	return named(parameters.At(index).Type()), nil
}
