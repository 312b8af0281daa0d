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
func parseable(typ *Type, allowUnknown bool) typed.ParseableType {
	b := &schemaBuilder{allowUnknown: allowUnknown, types: map[string]smd.Atom{}}
	untypedScalar := smd.Scalar("untyped")
	b.types[untyped] = smd.Atom{
		Scalar: &untypedScalar,
		List:   &smd.List{ElementType: smd.TypeRef{NamedType: &untyped}, ElementRelationship: smd.Atomic},
		Map:    &smd.Map{ElementType: smd.TypeRef{NamedType: &untyped}, ElementRelationship: smd.Atomic},
	}
	b.types[deduced] = smd.Atom{
		Scalar: &untypedScalar,
		List:   b.types[untyped].List,
		Map:    &smd.Map{ElementType: smd.TypeRef{NamedType: &deduced}, ElementRelationship: smd.Separable},
	}
	root := b.ref(typ, "")
	schema := &smd.Schema{Types: make([]smd.TypeDef, 0, len(b.types))}
	for name, atom := range b.types {
		schema.Types = append(schema.Types, smd.TypeDef{Name: name, Atom: atom})
	}
	return typed.ParseableType{Schema: schema, TypeRef: root}
}

// ref returns a reference to a type, with the relation of the field that has it.
func (b *schemaBuilder) ref(typ *Type, relation string) smd.TypeRef {
	switch typ.kind {
	case anything:
		return smd.TypeRef{NamedType: &deduced}
	case raw:
		return smd.TypeRef{NamedType: &untyped}
	case text, number, boolean, scalar:
		return smd.TypeRef{Inlined: smd.Atom{Scalar: scalars[typ.kind]}}
	}
	name := typ.name
	if relation != "" {
		name += " " + relation
	}
	if _, found := b.types[name]; !found {
		b.types[name] = smd.Atom{} // its parts may refer to it
		b.types[name] = b.atom(typ, relation)
	}
	return smd.TypeRef{NamedType: &name}
}

// scalars has the scalar type of each kind.
var scalars = func() (scalarOf [raw + 1]*smd.Scalar) {
	for kind, scalarType := range map[valueKind]smd.Scalar{text: smd.String, number: smd.Numeric, boolean: smd.Boolean, scalar: smd.Untyped} {
		scalarOf[kind] = &scalarType
	}
	return scalarOf
}()

func (b *schemaBuilder) atom(typ *Type, relation string) (atom smd.Atom) {
	if typ.kind == list {
		atom.List = &smd.List{ElementType: b.ref(typ.element, ""), ElementRelationship: smd.Atomic, Keys: typ.keys}
		if typ.set || len(typ.keys) > 0 {
			atom.List.ElementRelationship = smd.Associative
		}
		return atom
	}
	atom.Map = new(smd.Map)
	if typ.atomic && relation != "granular" || relation == "atomic" {
		atom.Map.ElementRelationship = smd.Atomic
	}
	if typ.element != nil {
		atom.Map.ElementType = b.ref(typ.element, "")
	} else if typ.preserveUnknown || typ.inheritsPreserve || b.allowUnknown || len(typ.fields) == 0 {
		atom.Map.ElementType = smd.TypeRef{NamedType: &deduced}
	}
	for name, field := range typ.fields {
		atom.Map.Fields = append(atom.Map.Fields, smd.StructField{Name: name, Type: b.ref(field.Type, field.relation), Default: field.defaultValue})
	}
	return atom
}
