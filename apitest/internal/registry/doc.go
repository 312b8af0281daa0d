// Package registry contains the served resources and the rules of each.
//
// The input is a description of a resource: an [Info], or an entry in the table of
// built-in kinds. The output is a [Resource] with its table, its strategy for
// writes, its field managers, its selectors and its columns.
//
//   - A [Resource] is immutable once it is in a [Registry]. Readers of the registry
//     do not wait.
//   - [Registry.Route] rejects a path or a method as a kube-apiserver does, with
//     different errors for built-in and custom resources.
//   - [Registry.Catalog] is the content of discovery, in the order of a
//     kube-apiserver.
//   - The functions of a strategy change only the object that they are documented to
//     change, and store nothing.
//
// The package does not depend on HTTP responses or on authorization.
package registry
