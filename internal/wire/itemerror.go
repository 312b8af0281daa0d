package wire

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/brief"
)

// ItemError reports an object of a list or a watch that could not be decoded. The list
// or watch continues. rest converts it into its own ItemError, which has the same
// fields.
type ItemError struct {
	// Type is the type of the event; "" in a list.
	Type watch.EventType
	// Namespace, Name, UID and ResourceVersion identify the object, as far as they
	// could be read.
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	// Err is the decoding error and its position in the object.
	Err error
}

// maxKeyLen is longer than any valid namespace and name together.
const maxKeyLen = 320

// Error names the object and the field.
func (e *ItemError) Error() string {
	key := e.Name
	if e.Namespace != "" {
		key = e.Namespace + "/" + e.Name
	}
	if key = brief.Text(key, maxKeyLen); key == "" {
		key = "an object without a name"
	}
	if e.Type != "" {
		return fmt.Sprintf("decode %s event of %s: %v", e.Type, key, e.Err)
	}
	return fmt.Sprintf("decode %s: %v", key, e.Err)
}

// Unwrap returns the decoding error.
func (e *ItemError) Unwrap() error { return e.Err }
