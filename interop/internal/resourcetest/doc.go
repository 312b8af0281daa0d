// Package resourcetest has the tests that packages dynamicinformer and metadatainformer
// share. Each compares the factories of client-go with ours.
//
//	resourcetest.CompareFactories(t, libraries, newFake)
package resourcetest
