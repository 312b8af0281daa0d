package wire

// Options configure a [Codec], like rest.DecodeOptions, which explains the fields of
// the same names. The zero value has the default of each.
type Options struct {
	KeepManagedFields bool
	ShareStrings      StringSharing
	MaxObjectBytes    int64
	MaxDepth          int
	MaxObjectMemory   int64
	// MetadataOnly requests only the metadata of objects, and decodes it into any type.
	// It is always set for metav1.PartialObjectMetadata.
	MetadataOnly bool
	// Closed is the error of a body whose client was closed. It is returned without
	// a description, because nothing is wrong with the body.
	Closed error
}

// StringSharing selects the encodings for which strings are shared. Its values are those of
// rest.StringSharing.
type StringSharing int

// The values of StringSharing: the strings of JSON, all strings, or none.
const (
	ShareJSON StringSharing = iota
	ShareAlways
	ShareNever
)
