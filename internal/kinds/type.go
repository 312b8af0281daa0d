package kinds

// valueKind is the kind of a value, as far as its type defines it.
type valueKind uint8

const (
	// anything is a value of any type, known only when it is decoded.
	anything valueKind = iota
	text
	number
	boolean
	// scalar is a text, number or boolean: a time, a quantity.
	scalar
	list
	// object is a struct or a map, or both.
	object
	// raw is a value of any type that is merged as a whole.
	raw
)

// Type describes a value: its parts and how they are merged. It is created from
// the table of the built-in kinds or from the schema of a custom resource. Types of
// the table may be recursive; those of schemas are trees. A Type is immutable.
type Type struct {
	// name is unique among the types that can be reached from one kind.
	name string
	kind valueKind

	// element is the type of a list's elements, or of an object's fields that are
	// not in fields. Objects without it have no other fields.
	element *Type
	// fields of an object, by name.
	fields map[string]*field

	// atomic objects are merged as a whole by server-side apply. So are lists, unless
	// they are a set or have keys.
	atomic bool
	set    bool
	// keys identify the list's elements, which are objects.
	keys []string

	// defaultValue is used when the value is missing; nil means none. In the table,
	// only keys have one.
	defaultValue any

	// preserveUnknown keeps unknown fields.
	preserveUnknown bool

	// The following fields are set only by the schemas of custom resources.

	// custom is set in all types of such a schema.
	custom bool
	// inheritsPreserve is set if an enclosing type has preserveUnknown. Server-side
	// apply takes it into account; pruning does not.
	inheritsPreserve bool
	// embedded objects have apiVersion, kind and metadata of their own.
	embedded bool
	// nullable values may be null.
	nullable bool
}

// field is a part of an object.
type field struct {
	*Type
	// relation is "atomic" or "granular" where the field differs from its type.
	relation string
	// alwaysEncoded is set if the JSON of the Go type includes the field even when
	// it is empty; emptyIsNull is set if the JSON is null then.
	alwaysEncoded, emptyIsNull bool

	// The directives of strategic merge.
	merge      bool
	mergeKey   string
	replace    bool
	retainKeys bool

	// protobufPath is the field's position in protobuf, in the notation of the
	// table; "" if it has none.
	protobufPath string
	// encoding of the value, or of the elements if it is a list or map.
	encoding encoding
	// goType is the name of the Go type, "" if it can be derived.
	goType string
	// inlinedStructs are the inlined structs of the Go type that contain the field.
	inlinedStructs []string
}

// child returns the type of an object's field, nil if it has no such field.
func (t *Type) child(name string) *Type {
	if field := t.fields[name]; field != nil {
		return field.Type
	}
	return t.element
}
