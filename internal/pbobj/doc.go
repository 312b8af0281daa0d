// Package pbobj parses the parts of protobuf that are needed to pass the bytes of
// one Kubernetes object to its own Unmarshal: the fields of a message, the envelope
// that the API server puts around every object, and the metadata of an object.
//
//	k8s\x00                     magic number
//	runtime.Unknown {
//	  1: TypeMeta {             the type: a Pod, a PodList, a Status
//	    1: apiVersion
//	    2: kind
//	  }
//	  2: raw                    the object, encoded as a message of its type
//	}
//
// Nothing is copied: results are slices of the input. Every length is checked
// against the available bytes before it is used, so a wrong length is an error and
// never an allocation.
package pbobj
