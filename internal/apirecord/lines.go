package apirecord

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Lines returns the exported API of a package, one line for each name, field and
// method, sorted.
//
//	const ModeList Mode = 1
//	func New(*Config) (*Client, error)
//	type Client struct
//	field Config.Host string
//	method (*Client) Close()
//	method (Handler interface) OnAdd(T)
//
// Parameters have no names, since a caller does not depend on them.
func Lines(p *types.Package) []string {
	r := &record{pkg: p}
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			r.object(p.Scope().Lookup(name))
		}
	}
	slices.Sort(r.lines)
	return slices.Compact(r.lines)
}

type record struct {
	pkg   *types.Package
	lines []string
}

func (r *record) add(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *record) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		r.add("const %s %s = %s", o.Name(), r.text(o.Type()), o.Val().ExactString())
	case *types.Var:
		r.add("var %s %s", o.Name(), r.text(o.Type()))
	case *types.Func:
		r.add("func %s%s", o.Name(), r.signature(o.Signature()))
	case *types.TypeName:
		r.typeName(o)
	}
}

func (r *record) typeName(o *types.TypeName) {
	if o.IsAlias() {
		r.add("type %s = %s", o.Name(), r.text(types.Unalias(o.Type())))
		return
	}
	named := o.Type().(*types.Named)
	head := o.Name() + r.typeParams(named.TypeParams())
	comparable := ""
	if types.Comparable(named) {
		comparable = ", comparable"
	}
	switch underlying := named.Underlying().(type) {
	case *types.Struct:
		r.add("type %s struct%s", head, comparable)
		r.fields(o.Name(), underlying)
	case *types.Interface:
		r.add("type %s interface%s", head, comparable)
		r.interfaceMethods(o.Name(), underlying)
		return // the methods of the type are those of the interface
	default:
		r.add("type %s %s%s", head, r.text(underlying), comparable)
	}
	r.methods(named)
}

// fields adds the exported fields of a struct, and those that an embedded unexported
// struct promotes.
func (r *record) fields(owner string, s *types.Struct) {
	for i := range s.NumFields() {
		field := s.Field(i)
		switch {
		case field.Exported() && field.Embedded():
			r.add("field %s.%s embedded %s%s", owner, field.Name(), r.text(field.Type()), tag(s.Tag(i)))
		case field.Exported():
			r.add("field %s.%s %s%s", owner, field.Name(), r.text(field.Type()), tag(s.Tag(i)))
		case field.Embedded():
			if inner, ok := dereferenced(field.Type()).Underlying().(*types.Struct); ok {
				r.fields(owner, inner)
			}
		}
	}
}

// methods adds the exported methods of a type. Methods that an exported embedded type
// promotes follow from the line of that field.
func (r *record) methods(named *types.Named) {
	values := types.NewMethodSet(named)
	pointers := types.NewMethodSet(types.NewPointer(named))
	for i := range pointers.Len() {
		method := pointers.At(i)
		if !method.Obj().Exported() || promotedByExported(named, method.Index()) {
			continue
		}
		receiver := "*" + named.Obj().Name()
		if values.Lookup(method.Obj().Pkg(), method.Obj().Name()) != nil {
			receiver = named.Obj().Name()
		}
		r.add("method (%s) %s%s", receiver, method.Obj().Name(), r.signature(method.Type().(*types.Signature)))
	}
}

// promotedByExported reports whether the path to a method leads through an exported
// embedded field.
func promotedByExported(named *types.Named, path []int) bool {
	var at types.Type = named
	for _, i := range path[:len(path)-1] {
		s, ok := dereferenced(at).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if s.Field(i).Exported() {
			return true
		}
		at = s.Field(i).Type()
	}
	return false
}

func (r *record) interfaceMethods(owner string, i *types.Interface) {
	unexported := false
	for j := range i.NumExplicitMethods() {
		method := i.ExplicitMethod(j)
		if !method.Exported() {
			unexported = true
			continue
		}
		r.add("method (%s interface) %s%s", owner, method.Name(), r.signature(method.Signature()))
	}
	for j := range i.NumEmbeddeds() {
		r.add("interface %s embeds %s", owner, r.text(i.EmbeddedType(j)))
	}
	if unexported {
		r.add("interface %s has unexported methods", owner)
	}
}

// signature returns parameters and results without the names of the parameters.
func (r *record) signature(s *types.Signature) string {
	var b strings.Builder
	b.WriteString(r.typeParams(s.TypeParams()))
	b.WriteString(strings.TrimPrefix(r.text(s), "func"))
	return b.String()
}

// unnamed returns a type without the names of parameters and results.
func unnamed(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, unnamedTuple(t.Params()), unnamedTuple(t.Results()), t.Variadic())
	case *types.Pointer:
		return types.NewPointer(unnamed(t.Elem()))
	case *types.Slice:
		return types.NewSlice(unnamed(t.Elem()))
	case *types.Map:
		return types.NewMap(t.Key(), unnamed(t.Elem()))
	default:
		return t
	}
}

func unnamedTuple(tuple *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, tuple.Len())
	for i := range vars {
		vars[i] = types.NewVar(token.NoPos, nil, "", unnamed(tuple.At(i).Type()))
	}
	return types.NewTuple(vars...)
}

func (r *record) typeParams(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	params := make([]string, list.Len())
	for i := range params {
		params[i] = list.At(i).Obj().Name() + " " + r.text(list.At(i).Constraint())
	}
	return "[" + strings.Join(params, ", ") + "]"
}

// text returns a type with the paths of packages, and without that of its own package.
func (r *record) text(t types.Type) string {
	return types.TypeString(unnamed(t), func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		return p.Path()
	})
}

func dereferenced(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// tag returns the tag of a field, which decides about its JSON and protobuf.
func tag(text string) string {
	if text == "" {
		return ""
	}
	return " `" + text + "`"
}
