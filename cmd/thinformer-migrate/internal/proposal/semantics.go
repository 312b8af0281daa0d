package proposal

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// An informer delivers the tombstones of the library of the handler's type, and client-go's
// to handlers of the program's own types. A program with both libraries compiles, whatever
// it asserts; these rules keep the assertions true:
//
//   - The packages of a program that have handlers, or that assert tombstones, change
//     tools/cache together.
//   - They keep it if a handler of the program's own type is added to an informer with
//     client-go's type.
//   - A package that asserts another type of a replaced package keeps it if the program also
//     has values of client-go's type, because these never satisfy the assertion.

// sensitive are the names of tools/cache that receive, pass or examine a tombstone.
var sensitive = []string{
	"DeletedFinalStateUnknown", "DeletionHandlingMetaNamespaceKeyFunc", "DeletionHandlingObjectToName", "DeletedObject",
	"ResourceEventHandler", "ResourceEventHandlerFuncs", "ResourceEventHandlerDetailedFuncs", "FilteringResourceEventHandler",
	"TypedResourceEventHandler", "TypedResourceEventHandlerFuncs", "TypedResourceEventHandlerDetailedFuncs", "TypedFilteringResourceEventHandler",
	"NewInformer", "NewIndexerInformer", "NewTransformingInformer", "NewTransformingIndexerInformer", "NewInformerWithOptions",
	"New", "NewDeltaFIFO", "NewDeltaFIFOWithOptions", "NewRealFIFO", "NewRealFIFOWithOptions",
}

// group is a set of packages that are connected by imports.
type group struct {
	handlers map[string]string // units with a sensitive name, and the first place
	switched []string          // of these, the units that do not keep tools/cache
	kept     string            // a place in a unit or generated file that keeps it
	keptUnit string            // the unit of this place
	own      string            // where a handler of an own type is added to an informer with client-go's type
	ownHere  string            // the same with an informer of this library
	asserts  map[origin]string // assertions of other types, and the first place
	theirs   map[string]bool   // packages of client-go with values in units that do not keep them
}

// resolveMeaning keeps the imports of packages that compile and would behave differently,
// and reports whether a decision is new.
func (s *solver) resolveMeaning() bool {
	changed := false
	for _, g := range s.groups() {
		reason := ""
		switch {
		case len(g.switched) == 0 || len(g.handlers) == 0:
		case g.kept != "":
			reason = s.sameGroup(g)
		case g.own != "":
			reason = "informers with client-go's type deliver client-go's tombstones (cache.DeletedFinalStateUnknown) to a handler of the program's own type, which " + g.own + " adds"
		}
		if reason != "" {
			for _, unit := range g.switched {
				changed = s.demote(unit, standin.ClientCache, reason) || changed
			}
		}
		if g.kept != "" && g.ownHere != "" {
			for _, pkg := range s.found.Affected {
				if _, ok := g.handlers[pkg.Unit]; ok || s.imports(pkg, standin.ClientCache) {
					changed = s.demote(pkg.Unit, standin.ClientCache, s.sameGroup(g)) || changed
				}
			}
		}
		for o, at := range g.asserts {
			if g.theirs[o.path] {
				changed = s.demote(o.unit, o.path, at+" asserts a type of this package, and the program also has values of client-go's type") || changed
			}
		}
	}
	return changed
}

// sameGroup returns why the packages of a group stay: one of them cannot switch.
func (s *solver) sameGroup(g *group) string {
	reason := "packages that are connected by imports must have handlers and tombstones (cache.DeletedFinalStateUnknown) of one library, because a type assertion never holds for a tombstone of the other one; " + g.kept + " stays"
	s.at[reason] = s.at[s.keep[g.keptUnit][standin.ClientCache]]
	s.keptIn[reason] = g.keptUnit
	return reason
}

func (s *solver) groups() []*group {
	of := s.connected()
	groups := map[string]*group{}
	var order []*group
	seen := map[*program.File]bool{}
	for _, pkg := range s.found.Affected {
		g := groups[of[pkg.Unit]]
		if g == nil {
			g = &group{handlers: map[string]string{}, asserts: map[origin]string{}, theirs: map[string]bool{}}
			groups[of[pkg.Unit]] = g
			order = append(order, g)
		}
		base, result := s.found.Base[pkg.ID], s.results[pkg.ID]
		for i, file := range pkg.Files {
			if !seen[file] {
				seen[file] = true
				s.examine(g, pkg, file, base, result, result.Files[i])
			}
		}
		s.values(g, pkg, result)
	}
	return order
}

// connected returns a representative of the packages that are connected with each unit.
func (s *solver) connected() map[string]string {
	parent := map[string]string{}
	var find func(string) string
	find = func(unit string) string {
		if parent[unit] == "" || parent[unit] == unit {
			return unit
		}
		parent[unit] = find(parent[unit])
		return parent[unit]
	}
	for _, pkg := range s.found.Affected {
		for _, id := range pkg.Imports {
			if imported := s.c.p.Package(id); imported != nil {
				if a, b := find(pkg.Unit), find(imported.Unit); a != b {
					parent[a] = b
				}
			}
		}
	}
	all := map[string]string{}
	for _, pkg := range s.found.Affected {
		all[pkg.Unit] = find(pkg.Unit)
	}
	return all
}

// examine adds what a file contributes to a group.
func (s *solver) examine(g *group, pkg *program.Package, file *program.File, base, result *program.Result, changed *ast.File) {
	if at := s.sensitiveName(base, file); at != "" {
		if g.handlers[pkg.Unit] == "" {
			g.handlers[pkg.Unit] = at
		}
		if file.Generated || s.keeps(pkg.Unit, standin.ClientCache) {
			if g.kept == "" {
				g.kept, g.keptUnit = at, pkg.Unit
			}
		} else if !slices.Contains(g.switched, pkg.Unit) {
			g.switched = append(g.switched, pkg.Unit)
		}
	}
	ast.Inspect(changed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s.addedHandler(g, result, n)
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				s.asserted(g, pkg, result, n.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				for _, expression := range clause.(*ast.CaseClause).List {
					s.asserted(g, pkg, result, expression)
				}
			}
		}
		return true
	})
}

// sensitiveName returns the first place of a sensitive name in a file.
func (s *solver) sensitiveName(base *program.Result, file *program.File) string {
	at := ""
	ast.Inspect(file.Syntax, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok || at != "" || !slices.Contains(sensitive, ident.Name) {
			return at == ""
		}
		object := base.Info.Uses[ident]
		// Generated files have aliases of the typed handlers and of their tombstones.
		if file.Generated && (strings.HasPrefix(ident.Name, "Typed") || ident.Name == "DeletedObject") {
			return true
		}
		if object != nil && object.Pkg() != nil && object.Pkg().Path() == standin.ClientCache && object.Parent() == object.Pkg().Scope() {
			at = s.lineOf(ident.Pos())
		}
		return true
	})
	return at
}

// addedHandler notes a call of AddEventHandler with a handler of an own type, or with one
// whose type is known only when the program runs.
func (s *solver) addedHandler(g *group, result *program.Result, call *ast.CallExpr) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(selector.Sel.Name, "AddEventHandler") || len(call.Args) == 0 {
		return
	}
	method, ok := result.Info.Uses[selector.Sel].(*types.Func)
	if !ok || method.Signature().Params().Len() == 0 {
		return
	}
	library := pathOf(method.Signature().Params().At(0).Type())
	handler := result.Info.TypeOf(call.Args[0])
	if handler == nil || library != standin.ClientCache && library != standin.Cache {
		return
	}
	if path := pathOf(handler); (path == standin.ClientCache || path == standin.Cache) && !types.IsInterface(handler) {
		return
	}
	if types.IsInterface(handler) && !s.ownHandlers() {
		return
	}
	if library == standin.ClientCache && g.own == "" {
		g.own = s.lineOf(call.Pos())
	}
	if library == standin.Cache && g.ownHere == "" {
		g.ownHere = s.lineOf(call.Pos())
	}
}

// ownHandlers reports whether the program has a type that is a handler.
func (s *solver) ownHandlers() bool {
	for _, pkg := range s.found.Affected {
		scope := s.results[pkg.ID].Types.Scope()
		for _, name := range scope.Names() {
			object, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || object.IsAlias() {
				continue
			}
			methods := types.NewMethodSet(types.NewPointer(object.Type()))
			if methods.Lookup(object.Pkg(), "OnAdd") != nil && methods.Lookup(object.Pkg(), "OnUpdate") != nil && methods.Lookup(object.Pkg(), "OnDelete") != nil {
				return true
			}
		}
	}
	return false
}

// pathOf returns the path of the package of a named type or of a pointer to one.
func pathOf(t types.Type) string {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}

// asserted notes an assertion of a type of a replaced package, except for tombstones.
func (s *solver) asserted(g *group, pkg *program.Package, result *program.Result, expression ast.Expr) {
	t := result.Info.TypeOf(expression)
	if t == nil {
		return
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Name() == "DeletedFinalStateUnknown" {
		return
	}
	found := map[string]bool{}
	walkType(t, func(string) bool { return false }, found, map[types.Type]bool{})
	for path := range found {
		if theirs := standin.Original(path); theirs != "" && g.asserts[origin{pkg.Unit, theirs}] == "" {
			g.asserts[origin{pkg.Unit, theirs}] = s.lineOf(expression.Pos())
		}
	}
}

// values notes the packages of client-go whose types a package has values of.
func (s *solver) values(g *group, pkg *program.Package, result *program.Result) {
	seen := map[types.Type]bool{}
	for _, value := range result.Info.Types {
		if value.IsValue() && value.Type != nil {
			walkType(value.Type, func(string) bool { return false }, g.theirs, seen)
		}
	}
}
