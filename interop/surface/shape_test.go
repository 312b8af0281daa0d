package surface

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// shapes formats types so that the types of two packages are equal if a program that uses
// one could use the other: without the names of parameters, and with one name for both
// packages.
type shapes struct {
	// same are the paths of the packages that are treated as one.
	same map[string]string
}

func (s shapes) of(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return s.named(t)
	case *types.TypeParam:
		return fmt.Sprintf("$%d", t.Index())
	case *types.Pointer:
		return "*" + s.of(t.Elem())
	case *types.Slice:
		return "[]" + s.of(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), s.of(t.Elem()))
	case *types.Map:
		return "map[" + s.of(t.Key()) + "]" + s.of(t.Elem())
	case *types.Chan:
		return [...]string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + s.of(t.Elem())
	case *types.Signature:
		return "func" + s.signature(t)
	case *types.Interface:
		return s.contract(t)
	case *types.Struct:
		var fields []string
		for field := range t.Fields() {
			fields = append(fields, field.Name()+" "+s.of(field.Type()))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	case *types.Union:
		var terms []string
		for term := range t.Terms() {
			terms = append(terms, term.String())
		}
		return strings.Join(terms, "|")
	}
	return t.String()
}

// named formats a type by its name. All unexported types are treated as equal, as other
// packages cannot name them. A function type is formatted as its signature: here it may be
// an alias, which every program can use as a type.
func (s shapes) named(t *types.Named) string {
	object := t.Obj()
	if object.Pkg() == nil {
		return object.Name()
	}
	path := object.Pkg().Path()
	if of, ok := s.same[path]; ok {
		path = of
		if !object.Exported() {
			return path + ".(its own)"
		}
		if function, ok := t.Underlying().(*types.Signature); ok {
			return s.of(function)
		}
	}
	var arguments []string
	for argument := range t.TypeArgs().Types() {
		arguments = append(arguments, s.of(argument))
	}
	if arguments == nil {
		return path + "." + object.Name()
	}
	return path + "." + object.Name() + "[" + strings.Join(arguments, ",") + "]"
}

func (s shapes) signature(t *types.Signature) string {
	return s.parameters(t.TypeParams()) + "(" + s.tuple(t.Params(), t.Variadic()) + ") (" + s.tuple(t.Results(), false) + ")"
}

func (s shapes) parameters(list *types.TypeParamList) string {
	var all []string
	for parameter := range list.TypeParams() {
		all = append(all, s.of(parameter.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (s shapes) tuple(t *types.Tuple, variadic bool) string {
	var all []string
	for v := range t.Variables() {
		all = append(all, s.of(v.Type()))
	}
	if variadic {
		all[len(all)-1] = "..." + all[len(all)-1]
	}
	return strings.Join(all, ", ")
}

// contract formats an interface by its exported methods, including those of embedded
// interfaces, and by its other embedded elements.
func (s shapes) contract(t *types.Interface) string {
	if t.NumMethods() == 0 && t.NumEmbeddeds() == 0 {
		return "any"
	}
	var all []string
	for method := range t.Methods() {
		if method.Exported() {
			all = append(all, method.Name()+s.signature(method.Signature()))
		}
	}
	slices.Sort(all)
	for embedded := range t.EmbeddedTypes() {
		if _, ok := embedded.Underlying().(*types.Interface); !ok {
			all = append(all, s.of(embedded))
		}
	}
	if t.IsComparable() {
		all = append(all, "comparable")
	}
	return "interface{" + strings.Join(all, "; ") + "}"
}

// difference returns what a program that uses theirs would miss in ours, line by line. An
// additional field is not a difference; an additional method is one only in an interface,
// which others may have to implement.
func (s shapes) difference(theirs, ours types.Object) (lines []string) {
	differ := func(what, theirs, ours string) {
		if theirs != ours {
			lines = append(lines, fmt.Sprintf("%s\n\t\tthere: %s\n\t\there:  %s", what, theirs, ours))
		}
	}
	name := theirs.Name()
	if a, b := fmt.Sprintf("%T", theirs), fmt.Sprintf("%T", ours); a != b {
		return []string{fmt.Sprintf("%s is a %s there and a %s here", name, a, b)}
	}
	if constant, ok := theirs.(*types.Const); ok {
		differ(name, constant.Val().String(), ours.(*types.Const).Val().String())
	}
	declared, ok := theirs.(*types.TypeName)
	if !ok {
		differ(name, s.of(theirs.Type()), s.of(ours.Type()))
		return lines
	}
	_, isFunction := declared.Type().Underlying().(*types.Signature)
	a, isNamed := declared.Type().(*types.Named)
	b, areBoth := types.Unalias(ours.Type()).(*types.Named)
	switch isAlias := ours.(*types.TypeName).IsAlias(); {
	case isAlias && !declared.IsAlias() && isFunction:
		differ(name, s.of(declared.Type()), s.of(ours.Type()))
		return lines
	case isAlias && areBoth: // the type of another package of this module
	case isAlias != declared.IsAlias():
		return []string{name + " is an alias on one side only"}
	}
	if !isNamed || !areBoth {
		differ(name, s.of(declared.Type()), s.of(ours.Type()))
		return lines
	}
	differ(name+"'s type parameters", s.parameters(a.TypeParams()), s.parameters(b.TypeParams()))
	if structure, ok := a.Underlying().(*types.Struct); ok {
		for field := range structure.Fields() {
			if field.Exported() {
				differ(name+"."+field.Name(), s.of(field.Type()), s.field(b, field.Name()))
			}
		}
		if _, ok := b.Underlying().(*types.Struct); !ok {
			lines = append(lines, name+" is a struct there")
		}
	} else {
		differ(name, s.of(a.Underlying()), s.of(b.Underlying()))
	}
	if !types.IsInterface(a) {
		for method := range methods(a) {
			differ(name+"."+method, s.method(a, method), s.method(b, method))
		}
	}
	return lines
}

const none = "none"

func (s shapes) field(of *types.Named, name string) string {
	if structure, ok := of.Underlying().(*types.Struct); ok {
		for field := range structure.Fields() {
			if field.Name() == name {
				return s.of(field.Type())
			}
		}
	}
	return none
}

func (s shapes) method(of *types.Named, name string) string {
	pointer, direct := methodSets(of)
	found := pointer.Lookup(of.Obj().Pkg(), name)
	if found == nil {
		return none
	}
	receiver := "pointer"
	if direct.Lookup(of.Obj().Pkg(), name) != nil {
		receiver = "value"
	}
	return receiver + " " + s.signature(found.Type().(*types.Signature))
}

// methods returns the names of the exported methods of a type and of a pointer to it.
func methods(of *types.Named) func(func(string) bool) {
	return func(yield func(string) bool) {
		pointer, _ := methodSets(of)
		for method := range pointer.Methods() {
			if method.Obj().Exported() && !yield(method.Obj().Name()) {
				return
			}
		}
	}
}

func methodSets(of *types.Named) (pointer, direct *types.MethodSet) {
	return types.NewMethodSet(types.NewPointer(of)), types.NewMethodSet(of)
}

// members returns the number of names of a type that a program can use.
func members(of types.Object) (count int) {
	declared, ok := of.(*types.TypeName)
	if !ok {
		return 0
	}
	if structure, ok := declared.Type().Underlying().(*types.Struct); ok {
		for field := range structure.Fields() {
			if field.Exported() {
				count++
			}
		}
	}
	if contract, ok := declared.Type().Underlying().(*types.Interface); ok {
		return contract.NumMethods()
	}
	if named, ok := declared.Type().(*types.Named); ok {
		for range methods(named) {
			count++
		}
	}
	return count
}
