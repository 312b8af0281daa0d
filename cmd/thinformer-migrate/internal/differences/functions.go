package differences

import (
	"go/ast"
	"go/types"
)

// indexFunction examines a function with the signature of an IndexFunc: the statements that
// return an error touch a row.
func (f *finder) indexFunction(signature types.Type, body *ast.BlockStmt) {
	if body == nil || !isIndexFunction(signature) {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 2 && !f.info.Types[n.Results[1]].IsNil() {
				f.touch(n, "index-error")
			}
		}
		return true
	})
}

func isIndexFunction(t types.Type) bool {
	signature, ok := t.(*types.Signature)
	if !ok || signature.Recv() != nil || signature.Variadic() || signature.Params().Len() != 1 || signature.Results().Len() != 2 {
		return false
	}
	empty, ok := signature.Params().At(0).Type().Underlying().(*types.Interface)
	return ok && empty.Empty() &&
		types.Identical(signature.Results().At(0).Type(), types.NewSlice(types.Typ[types.String])) &&
		types.Identical(signature.Results().At(1).Type(), types.Universe.Lookup("error").Type())
}

// handlerPeriod reports whether an object is the period of a handler's options, which is a
// pointer. Options of informers have a field of this name too.
func handlerPeriod(object types.Object) bool {
	field, ok := object.(*types.Var)
	if !ok || !field.IsField() || field.Name() != "ResyncPeriod" {
		return false
	}
	_, ok = field.Type().(*types.Pointer)
	return ok
}
