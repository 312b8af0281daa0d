// Package params parses the path and the query parameters of a request.
//
// The input is the text of a URL. The output is a [Target], which names the
// resource and the object, and the options of a list, a watch or a write.
//
//   - Options that a kube-apiserver rejects are rejected with its status, reason
//     and message.
//   - A [Continuation] has the format of a kube-apiserver's continue token.
//   - The result depends on the request only, and not on the served resources.
package params
