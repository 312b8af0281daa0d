// Package interop holds what needs k8s.io/api or client-go, and therefore a
// module of its own: tests that hold thinformer to the behaviour of the
// originals. It exports nothing; package objects is its corpus.
//
// What is compared: every object of the corpus, mutations of it and random
// objects of the same types, decoded by thinformer and by apimachinery's
// serializers, from JSON and from protobuf, alone, in lists and in watches,
// into full types, slim ones, metadata alone and unstructured; the URLs
// that the same builder calls make on both sides, random kubeconfigs, and what
// words for resources mean.
package interop
