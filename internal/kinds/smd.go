package kinds

import (
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// deduced and untyped are types that structured-merge-diff knows by these
// names: what is not described, and the same as one value.
var (
	deduced = "__untyped_deduced_"
	untyped = "__untyped_atomic_"
)

// schemaBuilder makes of a type what structured-merge-diff works with. All that
// is composed gets a name: it compares schemas while it merges, and names are
// what it compares fast.
type schemaBuilder struct {
	// open schemas take fields that are not known for fields of anything.
	open  bool
	types map[string]smd.Atom
}

// parseable is the schema of a type. One that is open knows of no field that may
// not be there.
func parseable(of *Type, open bool) typed.ParseableType {
	b := &schemaBuilder{open: open, types: map[string]smd.Atom{}}
	any := smd.Scalar("untyped")
	b.types[untyped] = smd.Atom{
		Scalar: &any,
		List:   &smd.List{ElementType: smd.TypeRef{NamedType: &untyped}, ElementRelationship: smd.Atomic},
		Map:    &smd.Map{ElementType: smd.TypeRef{NamedType: &untyped}, ElementRelationship: smd.Atomic},
	}
	b.types[deduced] = smd.Atom{
		Scalar: &any,
		List:   b.types[untyped].List,
		Map:    &smd.Map{ElementType: smd.TypeRef{NamedType: &deduced}, ElementRelationship: smd.Separable},
	}
	root := b.ref(of, "")
	made := &smd.Schema{Types: make([]smd.TypeDef, 0, len(b.types))}
	for name, atom := range b.types {
		made.Types = append(made.Types, smd.TypeDef{Name: name, Atom: atom})
	}
	return typed.ParseableType{Schema: made, TypeRef: root}
}

// ref refers to a type, as it is in a field with a relation of its own.
func (b *schemaBuilder) ref(of *Type, relation string) smd.TypeRef {
	switch of.sort {
	case anything:
		return smd.TypeRef{NamedType: &deduced}
	case raw:
		return smd.TypeRef{NamedType: &untyped}
	case text, number, boolean, scalar:
		return smd.TypeRef{Inlined: smd.Atom{Scalar: scalars[of.sort]}}
	}
	name := of.name
	if relation != "" {
		name += " " + relation
	}
	if _, made := b.types[name]; !made {
		b.types[name] = smd.Atom{} // what is inside may refer to it
		b.types[name] = b.atom(of, relation)
	}
	return smd.TypeRef{NamedType: &name}
}

// scalars by the sort of their type.
var scalars = func() (by [raw + 1]*smd.Scalar) {
	for sort, word := range map[sort]smd.Scalar{text: smd.String, number: smd.Numeric, boolean: smd.Boolean, scalar: smd.Untyped} {
		by[sort] = &word
	}
	return by
}()

func (b *schemaBuilder) atom(of *Type, relation string) (made smd.Atom) {
	if of.sort == list {
		made.List = &smd.List{ElementType: b.ref(of.element, ""), ElementRelationship: smd.Atomic, Keys: of.keys}
		if of.set || len(of.keys) > 0 {
			made.List.ElementRelationship = smd.Associative
		}
		return made
	}
	made.Map = new(smd.Map)
	if of.atomic && relation != "granular" || relation == "atomic" {
		made.Map.ElementRelationship = smd.Atomic
	}
	if of.element != nil {
		made.Map.ElementType = b.ref(of.element, "")
	} else if of.preserve || of.inherits || b.open || len(of.fields) == 0 {
		made.Map.ElementType = smd.TypeRef{NamedType: &deduced}
	}
	for name, field := range of.fields {
		made.Map.Fields = append(made.Map.Fields, smd.StructField{Name: name, Type: b.ref(field.Type, field.relation), Default: field.fallback})
	}
	return made
}
