package kinds

import (
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// deduced and untyped are the names of two special types in structured-merge-diff: a
// value without a schema, and such a value that is merged as a whole.
var (
	deduced = "__untyped_deduced_"
	untyped = "__untyped_atomic_"
)

// schemaBuilder builds the schema of a type for structured-merge-diff. All
// composite types get a name: structured-merge-diff compares schemas while it
// merges, and compares names fastest.
type schemaBuilder struct {
	// allowUnknown schemas accept unknown fields, as fields of any type.
	allowUnknown bool
	types        map[string]smd.Atom
}

// parseable returns the schema of a type. If open is set, it accepts unknown
// fields.
func parseable(of *Type, open bool) typed.ParseableType {
	b := &schemaBuilder{allowUnknown: open, types: map[string]smd.Atom{}}
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

// ref returns a reference to a type, with the relation of the field that has it.
func (b *schemaBuilder) ref(of *Type, relation string) smd.TypeRef {
	switch of.kind {
	case anything:
		return smd.TypeRef{NamedType: &deduced}
	case raw:
		return smd.TypeRef{NamedType: &untyped}
	case text, number, boolean, scalar:
		return smd.TypeRef{Inlined: smd.Atom{Scalar: scalars[of.kind]}}
	}
	name := of.name
	if relation != "" {
		name += " " + relation
	}
	if _, made := b.types[name]; !made {
		b.types[name] = smd.Atom{} // its parts may refer to it
		b.types[name] = b.atom(of, relation)
	}
	return smd.TypeRef{NamedType: &name}
}

// scalars has the scalar type of each kind.
var scalars = func() (by [raw + 1]*smd.Scalar) {
	for sort, word := range map[valueKind]smd.Scalar{text: smd.String, number: smd.Numeric, boolean: smd.Boolean, scalar: smd.Untyped} {
		by[sort] = &word
	}
	return by
}()

func (b *schemaBuilder) atom(of *Type, relation string) (made smd.Atom) {
	if of.kind == list {
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
	} else if of.preserveUnknown || of.inheritsPreserve || b.allowUnknown || len(of.fields) == 0 {
		made.Map.ElementType = smd.TypeRef{NamedType: &deduced}
	}
	for name, field := range of.fields {
		made.Map.Fields = append(made.Map.Fields, smd.StructField{Name: name, Type: b.ref(field.Type, field.relation), Default: field.defaultValue})
	}
	return made
}
