package proposal

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// An edit replaces a part of a file.
type edit struct {
	start, end int // offsets
	text       string
	// change describes it; an edit that only adds an import has none.
	change *Change
}

// constructors are the functions of client-go's tools/cache that package interop has with
// the same types and this project's informers.
var constructors = []string{"NewSharedIndexInformer", "NewSharedIndexInformerWithOptions", "NewSharedInformer"}

// editor finds the edits of one file.
type editor struct {
	p    *program.Program
	file *program.File
	info *types.Info
	own  *types.Package
	// named returns the package with an import path.
	named func(importPath string) (*types.Package, error)

	edits []edit
	added map[string]string // names of added imports, by path
}

func (e *editor) offset(n ast.Node) (start, end int) {
	return e.p.Fset.Position(n.Pos()).Offset, e.p.Fset.Position(n.End()).Offset
}

func (e *editor) line(n ast.Node) int { return e.p.Fset.PositionFor(n.Pos(), false).Line }

// replaceImport replaces the path of an import and keeps its name.
func (e *editor) replaceImport(i program.Import, with string) {
	start, end := e.offset(i.Spec.Path)
	e.edits = append(e.edits, edit{start, end, strconv.Quote(with), &Change{
		File: e.file, Line: i.Line, Old: i.Path, New: with, Import: true,
	}})
}

// uses returns the selectors of the package behind an import, such as cache.NewStore.
func (e *editor) uses(i program.Import) []*ast.SelectorExpr {
	var found []*ast.SelectorExpr
	ast.Inspect(e.file.Syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if ident, ok := selector.X.(*ast.Ident); ok {
			if name, ok := e.info.Uses[ident].(*types.PkgName); ok && name.Imported().Path() == i.Path {
				found = append(found, selector)
			}
		}
		return true
	})
	return found
}

// through replaces the constructors of tools/cache by those of package interop.
func (e *editor) through(i program.Import) {
	uses := e.uses(i)
	var through []*ast.SelectorExpr
	for _, use := range uses {
		if slices.Contains(constructors, use.Sel.Name) {
			through = append(through, use)
		}
	}
	if len(through) == 0 {
		return
	}
	name := e.add(i, standin.Interop, "interop")
	for _, use := range through {
		e.qualify(use, name)
	}
	sources := e.sources(through, uses)
	if len(sources) > 0 {
		name := e.add(i, standin.Cache, "cache")
		for _, use := range sources {
			e.qualify(use, name)
		}
	}
	if len(through)+len(sources) == len(uses) {
		e.drop(i)
	}
}

// qualify replaces the package of a selector by the one with a name.
func (e *editor) qualify(use *ast.SelectorExpr, name string) {
	start, end := e.offset(use)
	text := name + "." + use.Sel.Name
	e.edits = append(e.edits, edit{start, end, text, &Change{
		File: e.file, Line: e.line(use), Old: string(e.file.Source[start:end]), New: text,
	}})
}

// group replaces the functions of a group's package, such as NewFilteredPodInformer. Ours is
// the package that replaces the factory.
func (e *editor) group(i program.Import, factory, ours string) {
	uses := e.uses(i)
	over := e.over(uses)
	type replaced struct {
		use      *ast.SelectorExpr
		function string
		kind     *types.TypeName
		call     *ast.CallExpr // of a kind without namespaces, whose constructor has no such argument
	}
	var all []replaced
	for _, use := range uses {
		kind, ok := strings.CutPrefix(use.Sel.Name, "New")
		kind, ok2 := strings.CutSuffix(kind, "Informer")
		if !ok || !ok2 {
			continue
		}
		function := "NewInformer"
		if filtered, ok := strings.CutPrefix(kind, "Filtered"); ok {
			function, kind = "NewFilteredInformer", filtered
		}
		object := e.kind(use, kind)
		if object == nil {
			continue
		}
		var call *ast.CallExpr
		if !e.hasNamespace(use) {
			if call = e.callOf(use); call == nil || len(call.Args) == 0 {
				continue
			}
		}
		all = append(all, replaced{use, function, object, call})
	}
	if len(all)+len(over) == 0 {
		return
	}
	name := e.importOf(factory)
	if name == "" {
		name = e.add(i, ours, "interopinformers")
	}
	if len(all)+len(over) == len(uses) {
		e.drop(i)
	}
	e.in(over, name)
	for _, r := range all {
		start, end := e.offset(r.use)
		api := r.kind.Pkg().Path()
		if e.p.Package(api) == nil && e.p.Require([]string{api}) != nil {
			continue // the check finds that the import is not used
		}
		apiName := e.importOf(api)
		if apiName == "" {
			apiName = e.add(i, api, path.Base(path.Dir(api))+path.Base(api))
		}
		text := name + "." + r.function + "[*" + apiName + "." + r.kind.Name() + "]"
		e.edits = append(e.edits, edit{start, end, text, &Change{
			File: e.file, Line: e.line(r.use), Old: string(e.file.Source[start:end]), New: text,
		}})
		if r.call != nil {
			_, end := e.offset(r.call.Args[0])
			e.edits = append(e.edits, edit{start: end, end: end, text: `, ""`})
		}
	}
}

// kind returns the type of the objects of a kind of a group's package: the elements of what
// its lister lists.
func (e *editor) kind(use *ast.SelectorExpr, name string) *types.TypeName {
	function, ok := e.info.Uses[use.Sel].(*types.Func)
	if !ok {
		return nil
	}
	result := func(t types.Type, method string) types.Type {
		object, _, _ := types.LookupFieldOrMethod(t, true, function.Pkg(), method)
		if f, ok := object.(*types.Func); ok && f.Signature().Results().Len() > 0 {
			return f.Signature().Results().At(0).Type()
		}
		return nil
	}
	informer := function.Pkg().Scope().Lookup(name + "Informer")
	if informer == nil {
		return nil
	}
	lister := result(informer.Type(), "Lister")
	if lister == nil {
		return nil
	}
	list, ok := result(lister, "List").(*types.Slice)
	if !ok {
		return nil
	}
	pointer, ok := list.Elem().(*types.Pointer)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if !ok {
		return nil
	}
	return named.Obj()
}

// hasNamespace reports whether the second parameter of a constructor is a namespace.
func (e *editor) hasNamespace(use *ast.SelectorExpr) bool {
	function, ok := e.info.Uses[use.Sel].(*types.Func)
	return ok && function.Signature().Params().Len() > 1 && types.Identical(function.Signature().Params().At(1).Type(), types.Typ[types.String])
}

// callOf returns the call of a function, and nil if it is used as a value.
func (e *editor) callOf(use *ast.SelectorExpr) *ast.CallExpr {
	var call *ast.CallExpr
	ast.Inspect(e.file.Syntax, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Fun == use {
			call = c
		}
		return call == nil
	})
	return call
}

// importOf returns the name of an import of the file, and "" if there is none that can be
// used as a qualifier.
func (e *editor) importOf(importPath string) string {
	for _, i := range e.file.Imports {
		if i.Path != importPath || i.Name == "." || i.Name == "_" {
			continue
		}
		if i.Name != "" {
			return i.Name
		}
		if pkg, err := e.p.External(importPath); err == nil {
			return pkg.Name()
		}
	}
	return ""
}

// add adds an import beside another one, and returns its name.
func (e *editor) add(beside program.Import, importPath, name string) string {
	if added := e.added[importPath]; added != "" {
		return added
	}
	if known := e.importOf(importPath); known != "" {
		return known
	}
	for e.taken(name) {
		name = "thinformer" + name
	}
	if e.added == nil {
		e.added = map[string]string{}
	}
	e.added[importPath] = name
	text := strconv.Quote(importPath)
	if name != path.Base(importPath) {
		text = name + " " + text
	}
	before := "\t"
	if !e.inParentheses(beside.Spec) {
		before = "import "
	}
	start, _ := e.lineOf(beside.Spec)
	e.edits = append(e.edits, edit{start: start, end: start, text: before + text + "\n"})
	return name
}

// drop removes an import that has no other uses.
func (e *editor) drop(i program.Import) {
	start, end := e.lineOf(i.Spec)
	e.edits = append(e.edits, edit{start: start, end: end})
}

// lineOf returns the offsets of the line of an import.
func (e *editor) lineOf(spec *ast.ImportSpec) (start, end int) {
	start, end = e.offset(spec)
	start = bytes.LastIndexByte(e.file.Source[:start], '\n') + 1
	if newline := bytes.IndexByte(e.file.Source[end:], '\n'); newline >= 0 {
		return start, end + newline + 1
	}
	return start, len(e.file.Source)
}

func (e *editor) inParentheses(spec *ast.ImportSpec) bool {
	for _, d := range e.file.Syntax.Decls {
		if d, ok := d.(*ast.GenDecl); ok && slices.Contains(d.Specs, ast.Spec(spec)) {
			return d.Lparen.IsValid()
		}
	}
	return false
}

// taken reports whether a name has a meaning in the file.
func (e *editor) taken(name string) bool {
	if e.own != nil && e.own.Scope().Lookup(name) != nil {
		return true
	}
	taken := false
	ast.Inspect(e.file.Syntax, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == name {
			taken = true
		}
		return !taken
	})
	for _, i := range e.file.Imports {
		taken = taken || i.Name == "" && path.Base(i.Path) == name
	}
	return taken
}

// apply returns the text of the file with the edits, formatted if the file was.
func apply(source []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) // additions before the removal of a line
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue // the same place twice
		}
		out.Write(source[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(source[at:])
	if was, err := format.Source(source); err == nil && bytes.Equal(was, source) {
		if text, err := format.Source(out.Bytes()); err == nil {
			return text
		}
	}
	return out.Bytes()
}
