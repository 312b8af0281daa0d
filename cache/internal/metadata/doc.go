// Package metadata reads the metadata of objects that are passed as any.
//
// The interfaces [Namer], [Versioner] and [Labeler] are smaller than
// metav1.Object, so that types with few fields implement them. [As] accepts an
// object that implements the interface itself, or one that returns it by
// GetObjectMeta. A nil object and an object without metadata are errors whose
// text begins as that of apimachinery's meta.Accessor.
package metadata
