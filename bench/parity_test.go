package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The packages whose import path is all that a user has to change.
var drops = map[string]string{
	"k8s.io/client-go/util/workqueue": "github.com/thinformer/thinformer/workqueue",
}

func TestWhatTakesClientGosPlaceHasAllOfItsNames(t *testing.T) {
	for theirs, ours := range drops {
		load := loader(t, theirs, ours)
		want := surfaceOf(load(theirs))
		if len(want) < 10 {
			t.Errorf("%s has %d exported names only: is it read at all?", theirs, len(want))
		}
		for _, complaint := range missing(want, surfaceOf(load(ours))) {
			t.Errorf("%s: %s", ours, complaint)
		}
	}
}

// missing is what of a surface another one has not, or has otherwise.
func missing(want, have map[string]string) (complaints []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch got, ok := have[name]; {
		case !ok:
			complaints = append(complaints, fmt.Sprintf("no %s %s", name, want[name]))
		case got != want[name]:
			complaints = append(complaints, fmt.Sprintf("%s is %s, want %s", name, got, want[name]))
		}
	}
	return complaints
}

// surface is the exported names of a package, each with what the compiler makes
// of it, in a form that two packages have in common: without the package's own
// path, and without the names of parameters.
type surface struct {
	own   *types.Package
	names map[string]string
}

func surfaceOf(p *types.Package) map[string]string {
	s := surface{p, map[string]string{}}
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.TypeName:
			s.typeName(o)
		case *types.Const:
			s.put(o, "const "+name, types.TypeString(o.Type(), s.path)+" = "+o.Val().ExactString())
		case *types.Func:
			s.put(o, "func "+name, s.signature(o.Signature()))
		default:
			s.put(o, "var "+name, s.describe(o.Type()))
		}
	}
	return s.names
}

func (s surface) put(o types.Object, name, what string) {
	if o.Exported() {
		s.names[name] = what
	}
}

func (s surface) path(p *types.Package) string {
	if p == s.own {
		return ""
	}
	return p.Path()
}

// typeName puts a type with its exported fields and methods.
func (s surface) typeName(o *types.TypeName) {
	if !o.Exported() {
		return
	}
	if alias, ok := o.Type().(*types.Alias); ok {
		parameters := placeholders(alias.TypeParams())
		s.put(o, "type "+o.Name(), "an alias"+s.constraints(alias.TypeParams())+" of "+s.describe(instance(alias, parameters).(*types.Alias).Rhs()))
		return
	}
	named := o.Type().(*types.Named)
	of := instance(named, placeholders(named.TypeParams()))
	kind := ""
	switch underlying := of.Underlying().(type) {
	case *types.Struct:
		kind = "struct"
		for field := range underlying.Fields() {
			s.put(field, fmt.Sprintf("field %s.%s", o.Name(), field.Name()), fmt.Sprintf("%s, embedded: %v", s.describe(field.Type()), field.Embedded()))
		}
	case *types.Interface:
		kind = "interface"
	default:
		kind = s.describe(underlying)
	}
	s.put(o, "type "+o.Name(), kind+s.constraints(named.TypeParams()))
	s.methods(o.Name(), of)
	if !types.IsInterface(of) {
		s.methods("*"+o.Name(), types.NewPointer(of))
	}
}

func (s surface) methods(name string, of types.Type) {
	for method := range types.NewMethodSet(of).Methods() {
		s.put(method.Obj(), fmt.Sprintf("method %s.%s", name, method.Obj().Name()), s.describe(method.Type()))
	}
}

func (s surface) signature(f *types.Signature) string {
	if f.TypeParams().Len() == 0 {
		return s.describe(f)
	}
	return s.constraints(f.TypeParams()) + s.describe(instance(f, placeholders(f.TypeParams())))
}

// constraints are those of type parameters; their names do not matter.
func (s surface) constraints(parameters *types.TypeParamList) string {
	var all []string
	for parameter := range parameters.TypeParams() {
		all = append(all, types.TypeString(parameter.Constraint(), s.path))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// describe writes a type, and a function without the names of its parameters.
func (s surface) describe(t types.Type) string {
	if f, ok := t.(*types.Signature); ok {
		t = types.NewSignatureType(nil, nil, nil, nameless(f.Params()), nameless(f.Results()), f.Variadic())
	}
	return types.TypeString(t, s.path)
}

func nameless(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		t := v.Type()
		if f, ok := t.(*types.Signature); ok {
			t = types.NewSignatureType(nil, nil, nil, nameless(f.Params()), nameless(f.Results()), f.Variadic())
		}
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	return types.NewTuple(vars...)
}

// placeholders are the types P0, P1 and so on, one for each parameter: what is
// generic is compared as it is for these.
func placeholders(parameters *types.TypeParamList) (made []types.Type) {
	for i := range parameters.Len() {
		name := types.NewTypeName(token.NoPos, nil, fmt.Sprintf("P%d", i), nil)
		made = append(made, types.NewNamed(name, types.NewStruct(nil, nil), nil))
	}
	return made
}

func instance(generic types.Type, arguments []types.Type) types.Type {
	if len(arguments) == 0 {
		return generic
	}
	made, err := types.Instantiate(nil, generic, arguments, false)
	if err != nil {
		panic(err)
	}
	return made
}

// loader reads packages as the compiler has left them.
func loader(t *testing.T, paths ...string) func(path string) *types.Package {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, paths...)...)
	command.Stderr = os.Stderr
	listed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return func(path string) *types.Package {
		p, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func TestTheParityTestCanFail(t *testing.T) {
	const theirs = `
		const Max = 3
		var Default = New[string]
		func New[t comparable](name string, less func(a, b t) bool) *Queue[t] { return nil }
		type Queue[t comparable] struct { Name string; items []t }
		func (*Queue[t]) Add(item t) {}
		type Interface interface { Get() (key string, quit bool) }
		type Old = Queue[any]`
	for _, c := range []struct{ from, to, complaint string }{
		{"", "", ""},
		{"[t comparable](name string, less func(a, b t) bool) *Queue[t]", "[T comparable](n string, f func(T, T) bool) *Queue[T]", ""},
		{"items []t", "rest map[t]int", ""},
		{"Max = 3", "Max = 4", "const Max is untyped int = 4, want untyped int = 3"},
		{"Max = 3", "max = 3", "no const Max untyped int = 3"},
		{"var Default = New[string]", "var Default = New[int]", "var Default is func(string, func(int, int) bool) *Queue[int], want"},
		{"New[t comparable](name", "New[t any, u comparable](name", "func New is"},
		{"struct { Name string;", "struct {", "no field Queue.Name string"},
		{"Name string", "Name []byte", "field Queue.Name is []byte"},
		{"(*Queue[t]) Add(item t)", "(*Queue[t]) Add(item *t)", "method *Queue.Add is func(*P0), want func(P0)"},
		{"(*Queue[t]) Add", "(*Queue[t]) Put", "no method *Queue.Add func(P0)"},
		{"quit bool", "quit error", "method Interface.Get is"},
		{"Old = Queue[any]", "Old = Queue[string]", "type Old is an alias of Queue[string], want an alias of Queue[any]"},
		{"type Interface", "type Face", "no type Interface interface"},
	} {
		got := missing(surfaceOf(checked(t, "theirs", theirs)), surfaceOf(checked(t, "ours", strings.Replace(theirs, c.from, c.to, 1))))
		if all := strings.Join(got, "\n"); (c.complaint == "") != (all == "") || !strings.Contains(all, c.complaint) {
			t.Errorf("%q instead of %q: %q, want %q", c.to, c.from, all, c.complaint)
		}
	}
}

// checked is a package of that source. That a replacement can leave other lines
// wrong does not matter.
func checked(t *testing.T, path, source string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path+".go", "package p\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Error: func(error) {}}
	p, _ := config.Check(path, files, []*ast.File{file}, nil)
	return p
}
