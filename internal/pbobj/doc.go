// Package pbobj knows as much of protobuf as it takes to hand the bytes of one
// Kubernetes object to that object's own Unmarshal, and no more: the fields of
// a message, the envelope that the API server puts around every object, and
// where an object keeps its metadata.
//
//	k8s\x00                     the magic
//	runtime.Unknown {
//	  1: TypeMeta {             what it is: a Pod, a PodList, a Status
//	    1: apiVersion
//	    2: kind
//	  }
//	  2: raw                    the object itself, in the fields of its type
//	}
//
// Nothing here copies: what is returned are parts of the bytes that were given.
// Every length is checked against the bytes that are there before it is used,
// so a length that lies is an error and never an allocation.
package pbobj
