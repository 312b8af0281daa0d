// want: a segment is set once: the empty namespace sets nothing

package client

import "github.com/thinformer/thinformer/learn/internal/stack"

func (r *request) Namespace(namespace string) stack.Request {
	if namespace == "" {
		r.scope, r.namespace = "", ""
		return r
	}
	r.scope = "namespaces"
	return r.set(&r.namespace, "namespace", namespace)
}
