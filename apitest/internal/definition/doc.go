// Package definition contains the rules of CustomResourceDefinitions.
//
// The input is a definition as a client writes it. The output is the definition to
// store, the errors in it, the changes of its conditions, and the resources that it
// defines.
//
//   - [Prepare] rejects the mistakes that are most frequent in practice, with the
//     messages and in the order of a kube-apiserver.
//   - [Definition.AcceptNames] accepts each name that no other definition of the
//     group uses.
//   - [Definition.Resources] returns the served versions, which share one table.
//     [Definition.ServesLike] reports whether watches can continue after a change.
//
// The functions do not store anything. The server calls them for each step of a
// definition.
package definition
