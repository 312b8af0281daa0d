// Package reads has the cases of reads in a reconcile: reads after own writes, reads that
// are tracked as dependencies, and reads of a few objects of a large collection. The other
// side is controller-runtime, which has an equivalent of some of them:
//
//   - EnableReadYourWritesConsistency of its client, which is experimental, and does not
//     work for caches of several namespaces;
//   - an index of references and a mapping function, in place of tracked reads;
//   - watches of metadata only, with objects that are read from the server each time, in
//     place of bodies that are kept.
package reads
