package kinds

// sort is what a value is, as far as its type says.
type sort uint8

const (
	// anything may stand there; what it is is seen when it comes.
	anything sort = iota
	text
	number
	boolean
	// scalar is one of the three: a time, a quantity.
	scalar
	list
	// object is a struct or a map, or both.
	object
	// raw is anything, as one value.
	raw
)

// Type says what is known of a value: its parts and how they are merged. It
// comes from the table of the built-in kinds, or from the schema of a custom
// resource; types of the table may be recursive, those of schemas are trees. A
// Type does not change.
type Type struct {
	// name is unique among the types that can be reached from one kind.
	name string
	sort sort

	// element is the type of a list's elements, or of the fields of an object
	// that are not named. Objects without it have no others.
	element *Type
	// fields of an object, by name.
	fields map[string]*field

	// atomic objects are one value for server-side apply. Lists are, unless
	// they are a set or have keys.
	atomic bool
	set    bool
	// keys of the list's elements, which are objects.
	keys []string

	// fallback is what is filled in where nothing is given; nil is nothing. In
	// the table only keys have one.
	fallback any

	// preserve keeps fields that are not known.
	preserve bool

	// These are said by the schemas of custom resources only.

	// custom is set in all types that come from such a schema.
	custom bool
	// inherits the preserving of fields from a type that it is a part of:
	// server-side apply counts it, pruning does not.
	inherits bool
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
	// always is set if the JSON of the Go type has the field even if it is
	// empty; null if it then is.
	always, null bool

	// What strategic merge does with it.
	merge    bool
	mergeKey string
	replace  bool
	retain   bool

	// wire is where it stands in protobuf, as the table says it; "" is nowhere.
	wire string
	// form of the value, or of what it is a list or map of.
	form form
	// goType is what Go calls its type, "" what one would think.
	goType string
	// parts of the Go type that it is in, which JSON does not set apart.
	parts []string
}

// at is the type of a field of an object, nil if it has no such field.
func (t *Type) at(name string) *Type {
	if field := t.fields[name]; field != nil {
		return field.Type
	}
	return t.element
}
