package proposal

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
)

// An origin is a unit whose import of a package of client-go can cause an error if it
// changes.
type origin struct{ unit, path string }

// origins returns the causes of an error: the declarations with a type of this project that
// the statement or declaration at the error mentions.
func (s *solver) origins(pkg *program.Package, result *program.Result, e types.Error) []origin {
	found, theirs := map[origin]bool{}, map[string]bool{}
	for _, file := range result.Files {
		if e.Pos < file.FileStart || e.Pos > file.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(file, e.Pos, e.Pos)
		for _, ident := range mentioned(path) {
			s.originsOf(pkg, result, ident, found)
			if object := result.Info.Uses[ident]; object != nil {
				for _, path := range s.mentions(object.Type()) {
					theirs[path] = true
				}
			}
		}
	}
	// A type of this project is only a cause if it meets the type of client-go.
	both := maps.Clone(found)
	maps.DeleteFunc(both, func(o origin, undefined bool) bool { return !undefined && !theirs[o.path] })
	if len(both) > 0 {
		found = both
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b origin) int {
		if a.path != b.path {
			return slices.Compare([]string{a.path}, []string{b.path})
		}
		return slices.Compare([]string{a.unit}, []string{b.unit})
	})
}

// mentioned returns the identifiers of the innermost statement or declaration of a path,
// without those of function bodies in it. For a return statement, it includes those of the
// function's results.
func mentioned(path []ast.Node) []*ast.Ident {
	var idents []*ast.Ident
	collect := func(root ast.Node) {
		ast.Inspect(root, func(n ast.Node) bool {
			if _, ok := n.(*ast.BlockStmt); ok && n != root {
				return false
			}
			if ident, ok := n.(*ast.Ident); ok {
				idents = append(idents, ident)
			}
			return true
		})
	}
	for i, n := range path {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			collect(n)
			for _, outer := range path[i:] {
				switch outer := outer.(type) {
				case *ast.FuncLit:
					collect(outer.Type)
					return idents
				case *ast.FuncDecl:
					collect(outer.Type)
					return idents
				}
			}
			return idents
		case *ast.BlockStmt:
			continue
		case ast.Stmt, ast.Spec, *ast.Field, *ast.FuncDecl:
			collect(n)
			return idents
		}
	}
	return idents
}

func (s *solver) originsOf(pkg *program.Package, result *program.Result, ident *ast.Ident, found map[origin]bool) {
	object := result.Info.Uses[ident]
	if object == nil {
		object = result.Info.Defs[ident]
	}
	if object == nil {
		// An undefined name of a replaced package: its qualifier is mentioned as well.
		return
	}
	if name, ok := object.(*types.PkgName); ok {
		if theirs := s.original(name.Imported().Path()); theirs != "" && s.undefined(result, ident) {
			found[origin{pkg.Unit, theirs}] = true // undefined
		}
		return
	}
	for _, path := range s.mentions(object.Type()) {
		theirs := s.original(path)
		if theirs == "" {
			continue
		}
		// The type is named where the object is declared, or by a package that this one
		// imports.
		for _, unit := range s.namers(pkg, object, theirs) {
			if !found[origin{unit, theirs}] {
				found[origin{unit, theirs}] = false
			}
		}
	}
}

// undefined reports whether the selected name of a package does not exist.
func (s *solver) undefined(result *program.Result, qualifier *ast.Ident) bool {
	undefined := false
	for _, file := range result.Files {
		if qualifier.Pos() < file.FileStart || qualifier.Pos() > file.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(file, qualifier.Pos(), qualifier.End())
		if len(path) > 1 {
			if selector, ok := path[1].(*ast.SelectorExpr); ok {
				object := result.Info.Uses[selector.Sel]
				undefined = object == nil || generic(object) && !instantiated(path, result)
			}
		}
	}
	return undefined
}

// generic reports whether an object is a generic type, which client-go's package may have
// without type parameters.
func generic(object types.Object) bool {
	name, ok := object.(*types.TypeName)
	if !ok {
		return false
	}
	named, ok := name.Type().(*types.Named)
	return ok && named.TypeParams().Len() > 0
}

func instantiated(path []ast.Node, result *program.Result) bool {
	if len(path) < 3 {
		return false
	}
	switch path[2].(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// namers returns the units that may have named a type of a package for an object.
func (s *solver) namers(pkg *program.Package, object types.Object, theirs string) []string {
	// An object of another package of the module, such as a field or a function.
	if object.Pkg() != nil && object.Pkg().Path() != pkg.Path && s.c.p.Own(object.Pkg().Path()) {
		for _, other := range s.found.Affected {
			if other.Path == object.Pkg().Path() && s.imports(other, theirs) && !s.keeps(other.Unit, theirs) {
				return []string{other.Unit}
			}
		}
	}
	if s.imports(pkg, theirs) && !s.keeps(pkg.Unit, theirs) {
		return []string{pkg.Unit}
	}
	var units []string
	for _, other := range s.reachable(pkg) {
		if s.imports(other, theirs) && !s.keeps(other.Unit, theirs) {
			units = append(units, other.Unit)
		}
	}
	return units
}

func (s *solver) imports(pkg *program.Package, path string) bool {
	_, ok := pkg.Imports[path]
	return ok
}

// reachable returns the packages of the module that a package imports, directly or not.
func (s *solver) reachable(pkg *program.Package) []*program.Package {
	var list []*program.Package
	seen := map[string]bool{}
	var add func(*program.Package)
	add = func(p *program.Package) {
		for _, id := range p.Imports {
			if imported := s.c.p.Package(id); imported != nil && !seen[id] {
				seen[id] = true
				list = append(list, imported)
				add(imported)
			}
		}
	}
	add(pkg)
	return list
}

// mentions returns the paths of the packages of the named types in a type, also in those of
// the module's own types.
func (s *solver) mentions(t types.Type) []string {
	found := map[string]bool{}
	walkType(t, s.c.p.Own, found, map[types.Type]bool{})
	return slices.Sorted(maps.Keys(found))
}

func walkType(t types.Type, own func(string) bool, found map[string]bool, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	walk := func(t types.Type) { walkType(t, own, found, seen) }
	switch t := t.(type) {
	case *types.Named:
		for argument := range t.TypeArgs().Types() {
			walk(argument)
		}
		if t.Obj().Pkg() == nil {
			return
		}
		if path := t.Obj().Pkg().Path(); !own(path) {
			found[path] = true
			return
		}
		walk(t.Underlying())
		for method := range t.Methods() {
			walk(method.Type())
		}
	case *types.Alias:
		walk(types.Unalias(t))
	case *types.Pointer:
		walk(t.Elem())
	case *types.Slice:
		walk(t.Elem())
	case *types.Array:
		walk(t.Elem())
	case *types.Chan:
		walk(t.Elem())
	case *types.Map:
		walk(t.Key())
		walk(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			walk(v.Type())
		}
	case *types.Signature:
		walk(t.Params())
		walk(t.Results())
	case *types.Struct:
		for v := range t.Fields() {
			walk(v.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			walk(m.Type())
		}
	case *types.TypeParam:
		walk(t.Constraint())
	}
}
